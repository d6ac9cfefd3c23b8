internal import FileIO

extension File {
  /// The first `count` bytes, or all of them, mapped for reading; nothing where the system does not
  /// map them, for lack of address space say: then they are read.
  func mappedIfPossible(count: Int? = nil) throws(FileIOError) -> MappedBytes? {
    do throws(FileIOError) {
      if let count { return try map(count: count) }
      return try map(count: Int(try size()))
    } catch {
      guard case .other = error.reason else { throw error }
      return nil
    }
  }
}
