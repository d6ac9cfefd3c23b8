#if HAS_SQLITE
  extension SQLiteStatement {
    func bind(_ index: Int32, key: UnsafeRawBufferPointer, _ kind: KeyKind) {
      if kind == .integer {
        bind(index, Int64(bigEndian: key.loadUnaligned(as: Int64.self)))
      } else {
        bind(index, blob: key)
      }
    }
  }
#endif
