import Foundation

/// What the comparing process tells the process that carries out one phase for one engine.
struct PhaseOrder: Codable {
  let engine: EngineKind
  var phase: Phase
  /// The engine's own directory, which holds its store.
  let directory: String
  let recordFile: String
  let keyKind: KeyKind
  /// The longest that writing single records may take, in seconds.
  let secondsMaximum: Double
  let seed: UInt64
  /// What the records were generated from, and how many objects are made of it.
  let recordSeed: UInt64
  let objectCount: Int

  var storePath: String { directory + "/store" }
  var generationsPath: String { directory + "/generations" }

  /// What ``encoded()`` gave.
  static func decoded(_ text: String) throws -> PhaseOrder {
    try JSONDecoder().decode(PhaseOrder.self, from: Data(text.utf8))
  }

  /// The same for another phase.
  func with(phase: Phase) -> PhaseOrder {
    var order = self
    order.phase = phase
    return order
  }

  /// As an argument of a command.
  func encoded() throws -> String {
    String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
  }
}
