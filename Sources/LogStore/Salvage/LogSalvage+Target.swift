internal import FileIO

/// The directory that a salvage writes to.
extension LogSalvage {
  /// Why files of these names are in the way; nothing where there are none.
  static func obstacle(among names: [String]) -> String? {
    guard let first = names.first else { return nil }
    let others = [StoreDirectory.backup, StoreDirectory.newBackup, StoreDirectory.newManifest]
      .map(\.description)
    // It writes the manifest last.
    let mayBeLeft = names.allSatisfy {
      StoreDirectory.segmentIdentifier(of: $0) != nil || others.contains($0)
    }
    guard mayBeLeft else { return "it holds \(first); give an empty directory" }
    return "it holds \(first) but no manifest, as an interrupted salvage leaves it; remove its "
      + "files when they are nothing else, or give an empty directory"
  }

  /// With few descriptors, however many segments there are.
  static func budgeted(_ directory: any Directory) -> any Directory {
    BudgetedDirectory(directory, budget: OpenFileBudget(maximum: OpenFileBudget.maximumByDefault))
  }
}
