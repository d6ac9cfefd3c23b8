/// The first mistake of a step that could not be thrown where it was made.
final class StepFaults {
  private(set) var first: String?

  func note(_ fault: String) {
    if first == nil { first = fault }
  }
}
