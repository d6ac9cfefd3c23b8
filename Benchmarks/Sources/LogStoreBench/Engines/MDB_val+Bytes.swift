#if HAS_LMDB
  import CLMDB

  extension MDB_val {
    /// LMDB does not write through it, whatever the C type says.
    init(_ bytes: UnsafeRawBufferPointer) {
      self.init(
        mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
  }
#endif
