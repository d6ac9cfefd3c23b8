public import ArgumentParser
public import SchemaRegistry

/// Where the commands take the schema history from: a file, or an app's own code.
///
/// An app whose steps are Swift closures conforms a type of its own and so gets every command with
/// its history; see ``LogStoreCommand``.
///
///     struct PeopleHistory: HistoryProvider {
///       func history() -> SchemaHistory? { peopleHistory }
///     }
public protocol HistoryProvider: ParsableArguments {
  /// The history; nothing to work on objects as they are stored. Called once for each command.
  func history() throws -> SchemaHistory?
}
