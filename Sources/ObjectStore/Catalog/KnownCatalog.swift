/// What the store knows of its data, with what each transaction asks of it: found out once, and not
/// copied.
final class KnownCatalog: Sendable {
  let catalog: SchemaCatalog
  /// Whether it describes the current version, with its indexes and models.
  let isDescribed: Bool
  let hasIndexes: Bool
  /// Whether all of it was copied, too, by commits that followed.
  let isCopied: Bool

  init(_ catalog: SchemaCatalog, schema: StoreSchema) {
    self.catalog = catalog
    isDescribed = schema.isDescribed(in: catalog)
    hasIndexes = !catalog.indexes.isEmpty
    isCopied = catalog.uncopied?.isEmpty ?? false
  }
}
