/// A failure with all that is needed to see it again.
package struct FoundFailure: Error, Sendable, CustomStringConvertible {
  package let failure: SimulationFailure
  package let script: SimulationScript
  /// The last operations of the life in which it was found.
  package let trace: String

  package var description: String {
    "\(failure)\n\(script)" + (trace.isEmpty ? "" : "last operations:\n\(trace)\n")
  }
}
