import Foundation
import ObjectStore

/// Reads one snapshot of a store.
final class StoreReader: EngineReader {
  private let store: Store
  private var snapshot: StoreSnapshot

  init(_ store: Store) {
    self.store = store
    snapshot = store.snapshot()
  }

  func refresh() { snapshot = store.snapshot() }

  func takeSnapshot() { snapshot = store.snapshot() }

  func read(
    _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Bool {
    guard let found = try snapshot.get(KeyedValue.self, Data(key)) else { return false }
    found.value.withUnsafeBytes(body)
    return true
  }

  func scan(
    from start: UnsafeRawBufferPointer?, limit: Int,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    let keys = start.map { KeySelection(from: .including(.data([UInt8]($0)))) } ?? .all
    let cursor = try snapshot.objects(KeyedValue.self, selecting: keys)
    var count = 0
    while count < limit, let found = try cursor.next() {
      found.key.withUnsafeBytes { key in found.value.withUnsafeBytes { body(key, $0) } }
      count += 1
    }
    return count
  }
}
