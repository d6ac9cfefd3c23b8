internal import BinaryCoding
internal import CLZ4

/// LZ4 for payloads.
enum RecordCompression {
  /// Without a dictionary, payloads below this many bytes are stored raw: LZ4 finds nothing to
  /// refer back to.
  static let payloadByteCountMinimum = 32

  /// Compresses `payload` into `scratch` and returns the compressed size, or nothing when it does
  /// not save at least 12 per cent, or at least one byte with `savesAnything`.
  ///
  /// Against a dictionary when there is one that compresses. Equal payloads give equal bytes.
  static func compress(
    _ payload: UnsafeRawBufferPointer, against dictionary: CompressionDictionary? = nil,
    _ effort: CompressionEffort = .quick, savesAnything: Bool = false,
    into scratch: inout ByteWriter, with state: CompressionState
  ) -> Int? {
    let isUsed = dictionary?.compresses ?? false
    guard isUsed || payload.count >= payloadByteCountMinimum else { return nil }
    return compress(payload, savesAnything, into: &scratch) { target in
      if let dictionary, isUsed {
        return state.compress(payload, against: dictionary, effort, into: target)
      }
      return state.compress(payload, into: target)
    }
  }

  /// The same quickly, with a matcher that is lent, of a payload for which matchers are; `origin`
  /// makes it quicker. Equal payloads that are made of equal ones give equal bytes.
  static func compress(
    _ payload: UnsafeRawBufferPointer, madeOf origin: PayloadOrigin?,
    with matcher: DictionaryMatcher.Lent, savesAnything: Bool, into scratch: inout ByteWriter,
    with state: CompressionState
  ) -> Int? {
    compress(payload, savesAnything, into: &scratch) { target in
      state.compress(payload, madeOf: origin, with: matcher, into: target)
    }
  }

  /// `body` has room for whatever LZ4 may write: when that runs out of room its state must be
  /// cleared, which costs more than compressing a small payload.
  @inline(__always)
  private static func compress(
    _ payload: UnsafeRawBufferPointer, _ savesAnything: Bool, into scratch: inout ByteWriter,
    _ body: (UnsafeMutableRawBufferPointer) -> Int
  ) -> Int? {
    let limit = payload.count - (savesAnything ? 1 : max(payload.count / 8, 1))
    guard limit > 0 else { return nil }
    scratch.removeAll()
    let bound = Int(LZ4_compressBound(Int32(payload.count)))
    scratch.append(capacity: bound) { (target: UnsafeMutableRawBufferPointer) -> Int in
      body(UnsafeMutableRawBufferPointer(rebasing: target[..<bound]))
    }
    return (1...limit).contains(scratch.count) ? scratch.count : nil
  }

  /// The payload behind `stored`, or nothing when the bytes are not what LZ4 writes.
  ///
  /// `rawLength` may be anything: it is bounded by 255 times the stored size before allocating.
  static func decompress(
    _ stored: UnsafeRawBufferPointer, rawLength: Int,
    against dictionary: LentDictionary = .empty
  ) -> [UInt8]? {
    guard isPossible(rawLength, from: stored) else { return nil }
    var isWhole = false
    let payload = [UInt8](capacity: rawLength) { target in
      isWhole = dictionary.decompress(stored, to: target)
      return isWhole ? rawLength : 0
    }
    return isWhole ? payload : nil
  }

  /// The same into `scratch`, in place of what it holds; false when the bytes are not LZ4's.
  static func decompress(
    _ stored: UnsafeRawBufferPointer, rawLength: Int,
    against dictionary: LentDictionary = .empty, into scratch: inout ByteWriter
  ) -> Bool {
    scratch.removeAll()
    guard isPossible(rawLength, from: stored) else { return false }
    var isWhole = false
    scratch.append(capacity: rawLength) { (target: UnsafeMutableRawBufferPointer) -> Int in
      let target = UnsafeMutableRawBufferPointer(rebasing: target[..<rawLength])
      isWhole = dictionary.decompress(stored, to: target)
      return isWhole ? rawLength : 0
    }
    return isWhole
  }

  static func isPossible(_ rawLength: Int, from stored: UnsafeRawBufferPointer) -> Bool {
    rawLength <= LogLimits.payloadByteCount && rawLength >= 0
      && rawLength <= stored.count * 255 + 64
  }

  /// Decompresses a block that was compressed against `known`; returns the decompressed size, or a
  /// negative number.
  static func decompress(
    _ stored: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer,
    against known: UnsafeRawBufferPointer
  ) -> Int {
    guard let source = stored.baseAddress, let destination = target.baseAddress else { return -1 }
    guard let start = known.baseAddress, known.count > 0 else {
      return Int(
        LZ4_decompress_safe(
          source.assumingMemoryBound(to: CChar.self),
          destination.assumingMemoryBound(to: CChar.self), Int32(stored.count),
          Int32(target.count)))
    }
    return Int(
      LZ4_decompress_safe_usingDict(
        source.assumingMemoryBound(to: CChar.self),
        destination.assumingMemoryBound(to: CChar.self), Int32(stored.count), Int32(target.count),
        start.assumingMemoryBound(to: CChar.self), Int32(known.count)))
  }
}
