/// A history as a file: `Codable`, so that any coder of JSON reads and writes it.
///
///     {
///       "format": 1,
///       "base": { "version": 0, "types": [
///         { "name": "Person", "key": "id", "members": [
///           { "name": "id", "type": "uuid" }, { "name": "name", "type": "string" } ] } ] },
///       "versions": [
///         { "version": 1, "changes": [
///           { "on": "Person", "operations": [
///             { "derive": "first", "type": "string", "expression":
///               { "orElse": { "of": { "textBefore": { "of": { "member": "name" },
///                 "separator": " " } }, "else": { "member": "name" } } } },
///             { "add": "email", "type": "string?" } ] } ] } ]
///     }
///
/// Documentation/HistoryFile.md is normative. Reading is strict: unknown keys and values of the
/// wrong type throw ``SchemaError/invalidHistoryDocument(path:reason:)`` with the way to the place.
/// Swift closures are written as `{"closure": {"revision": 1}}`; read back, their types need the
/// app's code, see ``SchemaHistory/typesNeedingCode``. Every other operation reads back the same.
public struct HistoryDocument: Codable, Sendable {
  /// How deep lists and objects of a file may nest; no history needs as much.
  package static let depthMaximum = DocumentTree.depthLimit

  /// The history; its form was checked, its meaning is checked by ``SchemaHistory/validate()``.
  public let history: SchemaHistory

  /// The file of `history`.
  public init(_ history: SchemaHistory) { self.history = history }

  /// Reads a history file; throws for everything that its description does not allow.
  ///
  /// Levels are read within each other: the deepest files need a stack of about a MiB.
  public init(from decoder: any Decoder) throws {
    history = try DocumentPlace(tree: DocumentTree(from: decoder)).history()
  }

  public func encode(to encoder: any Encoder) throws {
    try DocumentTree(history).encode(to: encoder)
  }
}
