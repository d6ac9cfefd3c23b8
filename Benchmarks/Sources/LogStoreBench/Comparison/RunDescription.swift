/// What a run was: the first line of its file.
struct RunDescription: Codable {
  /// Year, month, day, hour and minute, of universal time.
  let date: String
  /// Machine, file system, load.
  let machine: [String]
  /// Engines with their versions.
  let versions: [String]
  /// Engines that were left out, and why.
  let missing: [String]
  let records: String
  let engines: [EngineKind]
  /// How much of a core the run had; not known before it is over, and of older runs.
  var coreShare: String?

  var lines: [String] {
    [date] + machine + versions + missing + [records] + [coreShare].compactMap(\.self)
  }
}
