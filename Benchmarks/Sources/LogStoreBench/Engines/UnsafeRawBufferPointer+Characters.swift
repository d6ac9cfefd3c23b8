extension UnsafeRawBufferPointer {
  /// The bytes as C interfaces want them.
  var characters: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}
