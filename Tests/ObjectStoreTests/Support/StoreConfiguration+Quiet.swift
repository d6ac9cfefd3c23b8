import ObjectStore

extension StoreConfiguration {
  /// Nothing happens to the store but what the test does.
  static var quiet: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.compaction = .off
    return configuration
  }
}
