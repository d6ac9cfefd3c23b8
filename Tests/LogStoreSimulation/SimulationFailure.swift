/// A promise that was broken, with a sentence that says how.
package struct SimulationFailure: Error, CustomStringConvertible, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// An acknowledged commit is not there.
    case lostCommit
    /// The store ends where no commit ends, or holds what no prefix of the commits makes.
    case noPrefix
    /// Keys, payloads or versions differ from the commits that are there.
    case wrongContents
    /// Live records are counted wrong.
    case wrongCount
    /// The store cannot be opened or read.
    case refused
    /// `verify` finds damage that nobody did.
    case notIntact
    /// An operation of a healthy store failed.
    case unexpectedError
    /// Opening or reading changed bytes.
    case changedBytes
    /// A snapshot shows something else than when it was taken.
    case changedSnapshot
    /// Damaged bytes were read as a value, or hid one, without an error.
    case wrongRead
  }

  package var kind: Kind
  package var text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  package var description: String { "\(kind.rawValue): \(text)" }
}
