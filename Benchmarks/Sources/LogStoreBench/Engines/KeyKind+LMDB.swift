#if HAS_LMDB
  import CLMDB

  extension KeyKind {
    /// Lends a key as LMDB has it: integers in the order of the machine's bytes, which it compares
    /// as numbers.
    @inline(__always)
    func withLMDBKey<Result>(
      _ key: UnsafeRawBufferPointer, _ body: (inout MDB_val) throws -> Result
    ) rethrows -> Result {
      guard self == .integer else {
        var value = MDB_val(key)
        return try body(&value)
      }
      let number = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
      return try withUnsafeBytes(of: number) { bytes in
        var value = MDB_val(bytes)
        return try body(&value)
      }
    }

    /// Lends a key of LMDB as all others have it.
    @inline(__always)
    func withCommonKey<Result>(
      _ key: MDB_val, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
      guard self == .integer else { return try body(key.bytes) }
      let number = key.bytes.loadUnaligned(as: UInt64.self)
      return try withUnsafeBytes(of: number.bigEndian) { try body($0) }
    }
  }
#endif
