internal import LogStore
internal import SchemaRegistry

/// Errors of the modules below, as those of the store.
extension StoreError {
  /// Runs `body` and passes the log's errors on as the store's.
  static func log<Result>(_ body: () throws(LogError) -> Result) throws(StoreError) -> Result {
    do throws(LogError) { return try body() } catch { throw .log(error) }
  }

  /// Runs `body` and passes the registry's errors on as the store's.
  static func schema<Result>(
    _ body: () throws(SchemaError) -> Result
  ) throws(StoreError) -> Result {
    do throws(SchemaError) { return try body() } catch { throw .schema(error) }
  }

  /// The same for `body` that makes keys to look objects of `type` up by: one that cannot be a key
  /// there is a mistake of who asks, and nothing is wrong with what is stored.
  static func lookUp<Result>(
    in type: TypeShape, _ body: () throws(SchemaError) -> Result
  ) throws(StoreError) -> Result {
    do throws(SchemaError) { return try body() } catch {
      guard case .invalidKey = error else { throw .schema(error) }
      throw .keyTypeMismatch(type: type.name, expected: type.keyType)
    }
  }
}
