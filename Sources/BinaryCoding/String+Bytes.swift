extension String {
  /// The text that `bytes` are as UTF-8, or nothing when they are none.
  ///
  /// The same as the standard library's `String(validating:as:)`, whose generic code looks up types
  /// at every call: that takes eight times as long for a short text. One allocation above 15 bytes.
  @inline(__always)
  public init?(utf8 bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty {
      self = ""
    } else if !bytes.isASCII {
      // What is not UTF-8 is repaired here, and is not the same any more.
      self.init(decoding: bytes, as: UTF8.self)
      guard hasBytes(bytes) else { return nil }
    } else if bytes.count > Self.inlineByteCount {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      self.init(unsafeUninitializedCapacity: bytes.count) { text in
        UnsafeMutableRawBufferPointer(text).copyMemory(from: bytes)
        return bytes.count
      }
    }
  }

  /// Texts of so many bytes need no memory of their own, and are copied in half the time when the
  /// standard library is told their length only.
  private static var inlineByteCount: Int { 15 }

  @inline(never)
  private func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { own in
      own.count == bytes.count && UnsafeRawBufferPointer(own).elementsEqual(bytes)
    }
    return isSame ?? utf8.elementsEqual(bytes)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether no byte has its highest bit set.
  ///
  /// Eight are looked at together, and the last eight once more where some are left.
  @inline(__always)
  fileprivate var isASCII: Bool {
    var bits: UInt64 = 0
    if count >= 8 {
      var position = 0
      while position < count &- 8 {
        bits |= loadUnaligned(fromByteOffset: position, as: UInt64.self)
        position &+= 8
      }
      bits |= loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    } else {
      for byte in self { bits |= UInt64(byte) }
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
