import Foundation

/// The fields that the base of a history file declares, and those that a catalogue had besides.
///
/// Archives may add fields of their own; a schema is declared before the data is seen, so what it
/// does not know is left out and told, never dropped in silence.
struct KnownFields {
  /// The part of a history file that is looked at.
  private struct History: Decodable {
    struct Base: Decodable { var types: [Declaration] }
    struct Declaration: Decodable { var members: [Member] }
    struct Member: Decodable { var name: String }
    var base: Base
  }

  private let names: Set<String>
  /// How many stanzas had each field that is not known.
  private(set) var unknown: [String: Int] = [:]

  /// Takes the members of all types of the base.
  init(historyFile contents: Data) throws {
    let history = try JSONDecoder().decode(History.self, from: contents)
    names = Set(history.base.types.flatMap(\.members).map(\.name))
  }

  /// The stanza without fields that are not known.
  mutating func take(_ stanza: [String: String]) -> [String: String] {
    for name in stanza.keys where !names.contains(name) { unknown[name, default: 0] += 1 }
    return stanza.filter { names.contains($0.key) }
  }
}
