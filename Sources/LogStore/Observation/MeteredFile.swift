internal import FileIO

/// A file whose writes and synchronizations are counted, and whose failed ones are remembered.
final class MeteredFile: File {
  private let inner: any File
  private let kind: WriteMeter.Kind
  private let meter: WriteMeter
  private let failure = FirstFailure()

  init(_ inner: any File, _ kind: WriteMeter.Kind, _ meter: WriteMeter) {
    self.inner = inner
    self.kind = kind
    self.meter = meter
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    try inner.read(into: buffer, at: offset)
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError) {
    try inner.write(parts, at: offset)
    var byteCount = 0
    for part in parts { byteCount += part.count }
    meter.count(byteCount, kind)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileIOError) {
    try inner.write(bytes, at: offset)
    meter.count(bytes.count, kind)
  }

  func mapAppends(preparedBy worker: SerialWorker?) { inner.mapAppends(preparedBy: worker) }

  func unmapAppends() { inner.unmapAppends() }

  func startWriting(_ range: Range<UInt64>) { inner.startWriting(range) }

  func synchronize() throws(FileIOError) {
    try meter.timing { () throws(FileIOError) in
      try failure.remembering { () throws(FileIOError) in try inner.synchronize() }
    }
  }

  func truncate(to size: UInt64) throws(FileIOError) { try inner.truncate(to: size) }

  func allocate(_ range: Range<UInt64>) throws(FileIOError) {
    try inner.allocate(range)
  }

  func size() throws(FileIOError) -> UInt64 { try inner.size() }

  func map(count: Int) throws(FileIOError) -> MappedBytes { try inner.map(count: count) }

  func mapAhead(count: Int) -> MappedBytes? { inner.mapAhead(count: count) }
}
