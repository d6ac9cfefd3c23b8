/// The disk at one moment of a run, from which every way of crashing there can be tried.
package struct CrashPoint: Sendable, CustomStringConvertible {
  /// The number of the last operation that took effect; 0 before the first one.
  package let operation: Int
  let disk: SimulatedDisk
  let profile: CrashProfile
  private let units: [PendingUnit]

  init(operation: Int, disk: SimulatedDisk, profile: CrashProfile) {
    self.operation = operation
    self.profile = profile
    units = disk.pendingUnits()
    var disk = disk
    disk.prepareHashes()
    self.disk = disk
  }

  /// How many parts of changes (sectors, sizes, names) may or may not survive a power loss.
  package var pendingUnitCount: Int { units.count }

  package var description: String { "crash after operation \(operation)" }

  /// A process kill and power losses: every subset up to `exhaustiveUnitCount` parts; above that
  /// none, all, each prefix, each single one missing or alone, and `randomCount` random subsets.
  package func choices(
    exhaustiveUnitCount: Int = 12, randomCount: Int = 64, seed: UInt64 = 1
  ) -> [CrashChoice] {
    let count = units.count
    var sets: [SurvivorSet] = []
    if count <= exhaustiveUnitCount {
      sets = (0..<UInt64(1) << UInt64(count)).map { SurvivorSet(count: count, pattern: $0) }
    } else {
      sets = structuredSets()
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<randomCount {
        var set = SurvivorSet(count: count)
        for index in 0..<count { set[index] = Bool.random(using: &generator) }
        sets.append(set)
      }
    }
    var choices: [CrashChoice] = [.processKill]
    choices += distinct(sets).map { .powerLoss(survivors: $0, fill: .zeros) }
    if units.contains(where: Self.leavesGarbage) {
      choices += distinct(structuredSets()).map {
        .powerLoss(survivors: $0, fill: .garbage(seed: seed))
      }
    }
    return choices
  }

  /// At most about `limit` choices: all subsets where they are so few, else a kill, none, all, and
  /// prefixes, suffixes, single parts missing or alone and random subsets, drawn by `generator`.
  package func sampledChoices(
    exhaustiveUnitCount: Int, limit: Int, using generator: inout some RandomNumberGenerator
  ) -> [CrashChoice] {
    if units.count <= exhaustiveUnitCount {
      return choices(exhaustiveUnitCount: exhaustiveUnitCount, randomCount: 0)
    }
    var choices = cornerChoices
    for number in 2..<max(3, limit) {
      let set = drawnSet(kind: number % 6, using: &generator)
      let isGarbage = number % 7 == 0
      choices.append(
        .powerLoss(survivors: allowed(set), fill: isGarbage ? .garbage(seed: 1) : .zeros))
    }
    return choices
  }

  /// A kill, and power losses that keep nothing and everything.
  package var cornerChoices: [CrashChoice] {
    let none = SurvivorSet(count: units.count)
    let all = SurvivorSet(count: units.count, all: true)
    return [
      .processKill, .powerLoss(survivors: none, fill: .zeros),
      .powerLoss(survivors: allowed(all), fill: .zeros),
    ]
  }

  /// The nearest choice there is here to one that was made for another moment: a set for another
  /// number of parts is cut, or filled up with parts that do not survive.
  package func adapted(_ choice: CrashChoice) -> CrashChoice {
    guard case .powerLoss(let wanted, let fill) = choice else { return choice }
    var set = SurvivorSet(count: units.count)
    for index in 0..<min(units.count, wanted.count) { set[index] = wanted[index] }
    return .powerLoss(survivors: allowed(set), fill: fill)
  }

  private func drawnSet(
    kind: Int, using generator: inout some RandomNumberGenerator
  ) -> SurvivorSet {
    let count = units.count
    let place = Int.random(in: 0..<max(1, count), using: &generator)
    var set = SurvivorSet(count: count)
    for index in 0..<count {
      switch kind {
      case 0: set[index] = index < place
      case 1: set[index] = index >= place
      case 2: set[index] = index != place
      case 3: set[index] = index == place
      case 4: set[index] = Int.random(in: 0..<8, using: &generator) > 0
      default: set[index] = Bool.random(using: &generator)
      }
    }
    return set
  }

  /// A random choice: one in eight is a process kill.
  package func randomChoice(using generator: inout some RandomNumberGenerator) -> CrashChoice {
    guard Int.random(in: 0..<8, using: &generator) > 0 else { return .processKill }
    var set = SurvivorSet(count: units.count)
    for index in units.indices { set[index] = Bool.random(using: &generator) }
    let seed = UInt64.random(in: 0...3, using: &generator)
    return .powerLoss(survivors: allowed(set), fill: seed == 0 ? .garbage(seed: seed) : .zeros)
  }

  /// The file system that the next process finds. After a process kill changes stay pending.
  package func afterCrash(_ choice: CrashChoice) -> SimulatedFileSystem {
    switch choice {
    case .processKill: SimulatedFileSystem(disk: disk, profile: profile)
    case .powerLoss(let survivors, let fill):
      SimulatedFileSystem(
        disk: disk.afterPowerLoss(units, survivors: allowed(survivors), fill: fill),
        profile: profile)
    }
  }

  /// None, all, each prefix, each single one missing, each single one alone.
  private func structuredSets() -> [SurvivorSet] {
    let count = units.count
    let none = SurvivorSet(count: count)
    let all = SurvivorSet(count: count, all: true)
    var sets = [none, all]
    var prefix = none
    for index in 0..<count {
      prefix[index] = true
      sets.append(prefix)
      var missing = all
      missing[index] = false
      sets.append(missing)
      var alone = none
      alone[index] = true
      sets.append(alone)
    }
    return sets
  }

  /// What the profile makes of a subset: names survive as a prefix where they are ordered.
  private func allowed(_ set: SurvivorSet) -> SurvivorSet {
    precondition(set.count == units.count, "a choice belongs to the crash point it was made for")
    guard profile == .ordered else { return set }
    var result = set
    var isCut = false
    for (index, unit) in units.enumerated() where unit.isName {
      isCut = isCut || !set[index]
      if isCut { result[index] = false }
    }
    return result
  }

  private func distinct(_ sets: [SurvivorSet]) -> [SurvivorSet] {
    var seen: Set<SurvivorSet> = []
    return sets.map(allowed).filter { seen.insert($0).inserted }
  }

  private static func leavesGarbage(_ unit: PendingUnit) -> Bool {
    if case .size(_, _, fillsWithZeros: false) = unit.target { true } else { false }
  }
}
