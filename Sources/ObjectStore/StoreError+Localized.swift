public import FileIO
public import LogStore
public import SchemaRegistry

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Here, as the modules below import no Foundation.

extension StoreError: LocalizedError {
  /// The text of the error, so that `localizedDescription` says it, too; in English.
  public var errorDescription: String? { description }
}

extension SchemaError: LocalizedError {
  /// The text of the error, so that `localizedDescription` says it, too; in English.
  public var errorDescription: String? { description }
}

extension LogError: LocalizedError {
  /// The text of the error, so that `localizedDescription` says it, too; in English.
  public var errorDescription: String? { description }
}

extension FileIOError: LocalizedError {
  /// The text of the error, so that `localizedDescription` says it, too; in English.
  public var errorDescription: String? { description }
}
