internal import BinaryCoding

/// What a payload was made of: another one, the LZ4 block that it came from, and which of its bytes
/// were copied, as is said. Lent.
struct PayloadOrigin {
  let block: UnsafeRawBufferPointer
  /// The block, decompressed.
  let payload: UnsafeRawBufferPointer
  let copies: UnsafeBufferPointer<CopiedRanges.Range>
}
