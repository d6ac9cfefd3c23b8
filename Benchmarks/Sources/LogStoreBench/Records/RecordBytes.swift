/// A key and its value, borrowed from the mapped record file.
struct RecordBytes: @unchecked Sendable {
  // The mapping lives as long as the process and is never written.
  let key: UnsafeRawBufferPointer
  let value: UnsafeRawBufferPointer
}
