import Foundation

/// What the comparing process tells the process that carries out one phase for one engine.
struct PhaseOrder: Codable {
  let engine: EngineKind
  let phase: Phase
  /// The engine's own directory, which holds its store.
  let directory: String
  let recordFile: String
  let keyKind: KeyKind
  /// The longest that writing single records may take, in seconds.
  let secondsMaximum: Double
  let seed: UInt64

  var storePath: String { directory + "/store" }
  var generationsPath: String { directory + "/generations" }

  /// As an argument of a command.
  func encoded() throws -> String {
    String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
  }

  init(encoded text: String) throws {
    self = try JSONDecoder().decode(PhaseOrder.self, from: Data(text.utf8))
  }

  init(
    engine: EngineKind, phase: Phase, directory: String, recordFile: String, keyKind: KeyKind,
    secondsMaximum: Double, seed: UInt64
  ) {
    self.engine = engine
    self.phase = phase
    self.directory = directory
    self.recordFile = recordFile
    self.keyKind = keyKind
    self.secondsMaximum = secondsMaximum
    self.seed = seed
  }
}
