/// The bytes of one simulated file: as the process sees them, and as the disk has them.
///
/// 1. Calls change `live` and append to `pending`.
/// 2. Synchronizing applies `pending` to `durable` and forgets it.
/// 3. Losing power applies any part of `pending` to `durable`; see ``CrashPoint``.
struct SimulatedContents: Sendable {
  static let sectorByteCount = 512
  /// Larger files are refused: memory, unlike disk, ends the process when it runs out.
  static let byteCountLimit = UInt64(1) << 32

  var live: [UInt8] = []
  var durable: [UInt8] = []
  var pending: [PendingChange] = []
  /// Hashes of the two, once somebody asked; see ``SimulatedDisk/hash(of:)``.
  var liveHash: UInt64?
  var durableHash: UInt64?
  var nameCount = 0
  var handleCount = 0

  /// Whether the file takes up space: removed files do until the last handle is closed.
  var isInUse: Bool { nameCount > 0 || handleCount > 0 }

  /// Writes the first `count` bytes of `parts`.
  mutating func write(
    _ parts: [UnsafeRawBufferPointer], count: Int, at offset: Int, sequence: Int
  ) {
    guard count > 0 else { return }
    liveHash = nil
    if offset > live.count { resize(to: offset, sequence: sequence) }
    let end = offset + count
    var sizes: [Int] = []
    if end > live.count {
      let boundary = (live.count / Self.sectorByteCount + 1) * Self.sectorByteCount
      sizes = boundary < end ? [boundary, end] : [end]
      live.append(contentsOf: repeatElement(0, count: end - live.count))
    }
    live.withUnsafeMutableBytes { live in
      var position = offset
      for part in parts where position < end {
        let used = UnsafeRawBufferPointer(rebasing: part.prefix(end - position))
        UnsafeMutableRawBufferPointer(rebasing: live[position...]).copyMemory(from: used)
        position += used.count
      }
    }
    let start = offset / Self.sectorByteCount * Self.sectorByteCount
    let sectorEnd = (end + Self.sectorByteCount - 1) / Self.sectorByteCount * Self.sectorByteCount
    let sectors = Array(live[start..<min(sectorEnd, live.count)])
    pending.append(
      PendingChange(
        sequence: sequence, kind: .write(start: start, sectors: sectors, sizes: sizes)))
  }

  mutating func resize(to size: Int, sequence: Int) {
    guard size != live.count else { return }
    liveHash = nil
    Self.resize(&live, to: size)
    pending.append(PendingChange(sequence: sequence, kind: .resize(to: size)))
  }

  /// Everything pending becomes durable.
  ///
  /// `live` is not simply copied: pages whose writing failed earlier may be marked clean, and those
  /// are not written now either.
  mutating func makeDurable() {
    guard !pending.isEmpty else { return }
    durableHash = nil
    for change in pending {
      switch change.kind {
      case .resize(let size): Self.resize(&durable, to: size)
      case .write(let start, let sectors, let sizes):
        if let size = sizes.last { Self.resize(&durable, to: size) }
        let count = min(sectors.count, durable.count - start)
        if count > 0 { Self.copy(sectors[..<count], into: &durable, at: start) }
      }
    }
    pending.removeAll()
  }

  /// What a failed synchronization makes of the pending changes.
  mutating func losePending(_ model: SynchronizationFailure) {
    switch model {
    case .keptAndMarkedClean: pending.removeAll()
    case .reverted:
      live = durable
      liveHash = durableHash
      pending.removeAll()
    case .sticky: break
    }
  }

  static func resize(_ bytes: inout [UInt8], to size: Int) {
    if size < bytes.count {
      bytes.removeLast(bytes.count - size)
    } else {
      // Not `repeatElement`: without optimization that costs a call for each byte.
      bytes += [UInt8](repeating: 0, count: size - bytes.count)
    }
  }

  static func copy(_ source: ArraySlice<UInt8>, into bytes: inout [UInt8], at offset: Int) {
    source.withUnsafeBytes { source in
      bytes.withUnsafeMutableBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: source)
      }
    }
  }
}
