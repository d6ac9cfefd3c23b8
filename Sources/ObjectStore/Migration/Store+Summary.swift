public import FileIO

extension Store {
  /// What the store at `path` holds, by type and version; nothing is written, and no object read.
  ///
  /// Works beside a process that has the store open, and for stores of every schema version.
  public static func info(
    at path: String, fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(StoreError) -> StoreSummary {
    try info(at: path, configuration: .readOnly, fileSystem: fileSystem)
  }

  /// The same of a store that is opened by `configuration`, which writes nothing: for who only
  /// shows it, and decides nothing by what might be lost again.
  package static func info(
    at path: String, configuration: StoreConfiguration,
    fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(StoreError) -> StoreSummary {
    let store = try open(at: path, configuration: configuration, fileSystem: fileSystem)
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
