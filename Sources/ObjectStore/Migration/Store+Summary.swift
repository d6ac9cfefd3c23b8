public import FileIO

extension Store {
  /// What the store at `path` holds, by type and version; nothing is written, and no object read.
  ///
  /// Works beside a process that has the store open, and for stores of every schema version.
  public static func info(
    at path: String, fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(StoreError) -> StoreSummary {
    let store = try open(at: path, configuration: .readOnly, fileSystem: fileSystem)
    do throws(StoreError) {
      let summary = try StoreSummary(store)
      try store.close()
      return summary
    } catch {
      do throws(StoreError) { try store.close() } catch {}
      throw error
    }
  }
}
