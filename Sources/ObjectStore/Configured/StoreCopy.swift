#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Copies and moves whole stores that nobody writes.
enum StoreCopy {
  /// Copies the store at `source` to `target`, which appears there complete or not at all.
  static func copy(from source: String, to target: String) throws(StoreError) {
    let staging = target + ".copying"
    do {
      let files = FileManager.default
      if files.fileExists(atPath: staging) { try files.removeItem(atPath: staging) }
      try files.copyItem(atPath: source, toPath: staging)
      try files.moveItem(atPath: staging, toPath: target)
    } catch { throw .copyFailed(path: source, reason: "\(error)") }
  }

  /// Gives the store at `path` the first free name that ends in `.archived` and a number.
  static func setAside(_ path: String) throws(StoreError) {
    var number = 1
    while FileManager.default.fileExists(atPath: "\(path).archived\(number)") { number += 1 }
    do {
      try FileManager.default.moveItem(atPath: path, toPath: "\(path).archived\(number)")
    } catch { throw .copyFailed(path: path, reason: "\(error)") }
  }
}
