internal import SchemaRegistry

/// The objects for which a barrier cannot do what it shall: all are counted, the first are named.
final class RelationFaults {
  private static let exampleCountMaximum = 10

  private let operationID: String
  private var count = 0
  private var examples: [String] = []

  init(operationID: String) { self.operationID = operationID }

  func note(_ object: String, _ problem: String) {
    count += 1
    if examples.count < Self.exampleCountMaximum { examples.append("\(object) \(problem)") }
  }

  func throwIfAny() throws(StoreError) {
    guard count > 0 else { return }
    throw .schema(
      .barrierFailed(
        operationID: operationID,
        underlying: "\(count) \(count == 1 ? "object" : "objects"): "
          + examples.joined(separator: "; ")))
  }
}
