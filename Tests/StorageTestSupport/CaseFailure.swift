/// A failure in one of many cases that one test runs, with the case in its text.
package struct CaseFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Runs `body` for every case; the first error stops the run and names its case.
///
/// Inside `body` use ``check(_:_:)`` or `throw`: an expectation would not know the case.
package func withEvery<Case>(
  _ cases: some Sequence<Case>, _ body: (Case) throws -> Void
) throws {
  for (index, value) in cases.enumerated() {
    do {
      try body(value)
    } catch {
      throw CaseFailure("case \(index), \(value): \(error)")
    }
  }
}

/// Throws a ``CaseFailure`` with `message` unless `condition` holds.
package func check(
  _ condition: Bool, _ message: @autoclosure () -> String
) throws(CaseFailure) {
  if !condition { throw CaseFailure(message()) }
}
