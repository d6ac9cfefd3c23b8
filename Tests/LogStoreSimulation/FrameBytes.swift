/// What the simulation must know of frames to damage them on purpose; see Documentation/Format.md.
enum FrameBytes {
  /// Bytes of the length field and of the whole header of a frame whose fourth byte is `marker`.
  static func header(marker: UInt8) -> (lengthByteCount: Int, byteCount: Int) {
    marker == 0x80 ? (2, 20) : (4, 48)
  }
}
