internal import BinaryCoding

/// Everything a crash may leave behind; a value, so that a copy of it is a snapshot.
struct SimulatedDisk: Sendable {
  struct Names: Sendable {
    var live: [String: Int] = [:]
    var durable: [String: Int] = [:]
    var pending: [PendingName] = []
  }

  /// Files by number; never removed, because un-synchronized removals may be undone.
  var files: [SimulatedContents] = []
  var directories: [String: Names] = [:]
  private var lastSequence = 0

  mutating func nextSequence() -> Int {
    lastSequence += 1
    return lastSequence
  }

  /// The sum of the sizes of all files that still have a name or a handle.
  var usedByteCount: Int {
    files.reduce(0) { $0 + ($1.isInUse ? $1.live.count : 0) }
  }

  var usedFileCount: Int { files.reduce(0) { $0 + ($1.isInUse ? 1 : 0) } }

  mutating func create(_ name: String, in directory: String) -> Int {
    let file = files.count
    files.append(SimulatedContents())
    change(.create(name, file: file), in: directory)
    return file
  }

  /// Applies a change of names to what the process sees and remembers it as not yet durable.
  mutating func change(_ kind: PendingName.Kind, in directory: String) {
    let change = PendingName(sequence: nextSequence(), kind: kind)
    let before = directories[directory, default: Names()].live
    var after = before
    change.apply(to: &after)
    directories[directory, default: Names()].live = after
    directories[directory, default: Names()].pending.append(change)
    for file in before.values { files[file].nameCount -= 1 }
    for file in after.values { files[file].nameCount += 1 }
  }

  mutating func makeNamesDurable(in directory: String) {
    guard let names = directories[directory] else { return }
    directories[directory] = Names(live: names.live, durable: names.live)
  }

  /// A hash of a directory's live names and contents; kept with each file for the next time.
  mutating func hash(of directory: String) -> UInt64 {
    var sum: UInt64 = 0
    for (name, file) in directories[directory]?.live ?? [:] {
      var name = name
      let nameHash = name.withUTF8 { Checksum.xxh64(UnsafeRawBufferPointer($0), seed: 0) }
      var pair = (nameHash, liveHash(of: file))
      sum &+= withUnsafeBytes(of: &pair) { Checksum.xxh64($0, seed: 1) }
    }
    return sum
  }

  private mutating func liveHash(of file: Int) -> UInt64 {
    if let known = files[file].liveHash { return known }
    let hash = files[file].live.withUnsafeBytes { Checksum.xxh64($0, seed: 0) }
    files[file].liveHash = hash
    return hash
  }

  /// Hashes what is durable, so that the states after a power loss share the work.
  mutating func prepareHashes() {
    for file in files.indices where files[file].durableHash == nil {
      files[file].durableHash = files[file].durable.withUnsafeBytes { Checksum.xxh64($0, seed: 0) }
    }
  }

  /// The parts of all pending changes in the order they were made.
  func pendingUnits() -> [PendingUnit] {
    var units: [PendingUnit] = []
    for (directory, names) in directories {
      for (index, change) in names.pending.enumerated() {
        units.append(
          PendingUnit(
            sequence: change.sequence, part: 0, target: .name(directory: directory, change: index)))
      }
    }
    for (file, contents) in files.enumerated() {
      for (index, change) in contents.pending.enumerated() {
        for target in Self.targets(of: change, number: index, file: file) {
          units.append(
            PendingUnit(sequence: change.sequence, part: units.count, target: target))
        }
      }
    }
    return units.sorted { ($0.sequence, $0.part) < ($1.sequence, $1.part) }
  }

  private static func targets(
    of change: PendingChange, number: Int, file: Int
  ) -> [PendingUnit.Target] {
    switch change.kind {
    case .resize(let size): return [.size(file: file, to: size, fillsWithZeros: true)]
    case .write(_, let sectors, let sizes):
      let size = SimulatedContents.sectorByteCount
      return sizes.map { .size(file: file, to: $0, fillsWithZeros: false) }
        + (0..<(sectors.count + size - 1) / size).map {
          .sector(file: file, change: number, index: $0)
        }
    }
  }
}
