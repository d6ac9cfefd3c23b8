internal import SchemaRegistry

/// The objects for which a barrier cannot do what it shall.
final class RelationFaults {
  private let operationID: String
  private var faults = CountedExamples()

  init(operationID: String) { self.operationID = operationID }

  func note(_ object: String, _ problem: String) {
    faults.note("\(object) \(problem)")
  }

  func throwIfAny() throws(StoreError) {
    guard faults.count > 0 else { return }
    throw .schema(
      .barrierFailed(
        operationID: operationID,
        underlying: "\(faults.count) \(faults.count == 1 ? "object" : "objects"): "
          + faults.examples.joined(separator: "; ")))
  }
}
