internal import FileIO

/// Which segments a salvage reads, as told by the manifest, by a copy in the log, or by themselves.
struct SalvagePlan {
  private(set) var victims: [SalvageVictim]
  /// What cannot be saved whatever the segments hold.
  private(set) var losses: [SalvageReport.Loss] = []
  private(set) var notes: [String] = []

  /// The segments that a manifest in force lists.
  init(_ manifest: Manifest) {
    victims = manifest.segments.map {
      SalvageVictim($0, durableSequence: manifest.durableSequence)
    }
  }

  /// Without a manifest: those of the store's newest copy whose segments are there, and those that
  /// are newer than it; without such a copy all of the store, and what the newest one misses.
  init(
    of found: [FoundSegment], store: StoreIdentifier, in source: SalvageSource
  ) throws(LogError) {
    let own = found.filter { segment in
      segment.header.map { $0.store == store } ?? segment.mayHoldRecords(in: source)
    }
    let (copy, isWhole) = try Self.copy(of: own, in: source)
    if copy == nil {
      notes.append(
        "no manifest tells which segments count; all were taken, so deleted objects may be back")
    } else if !isWhole {
      notes.append(
        "segments that the copy of the manifest lists are not there; older ones were taken, too, "
          + "so deleted objects may be back")
    }
    let known = Dictionary(found.map { ($0.identifier, $0) }) { first, _ in first }
    victims = []
    for descriptor in copy?.segments ?? [] {
      let header = known[descriptor.identifier]?.header
      guard !Self.isReplaced(descriptor, by: own) else { continue }
      var victim = SalvageVictim(descriptor, durableSequence: copy?.durableSequence ?? .zero)
      if let header, header.store == store, header.salt != descriptor.salt {
        // It was made anew under its number.
        victim = SalvageVictim(identifier: descriptor.identifier, salt: header.salt)
      }
      victims.append(victim)
    }
    let listed = Set(copy?.segments.map(\.identifier) ?? [])
    let firstUnknown = isWhole ? copy?.nextSegment ?? 0 : 0
    let others = own.filter {
      !listed.contains($0.identifier) && $0.identifier.rawValue >= firstUnknown
    }
    let commits = try LargeCommits(in: isWhole ? others : own, of: source)
    for segment in others {
      var victim = SalvageVictim(identifier: segment.identifier, salt: segment.header?.salt)
      if segment.header == nil {
        victim.commits = .unknown(after: commits.ends)
      } else if segment.header?.holdsParts == true, !commits.whole.contains(segment.identifier) {
        victim.commits = .torn
      }
      victims.append(victim)
    }
    victims.sort { $0.identifier < $1.identifier }
    noteStrangers(found, of: store, listed: listed)
  }

  /// The newest copy of a manifest that was in force, as far as the segments tell, or else the
  /// newest one, and whether it counts.
  ///
  /// The compaction that left it may have been cut short before that manifest was in force, and who
  /// wrote next may have removed a part of what it made, and taken the numbers again. Then what it
  /// was to replace is there, and an older copy lists that. Where nothing of it is, what the copy
  /// lists and is not there was lost.
  private static func copy(
    of own: [FoundSegment], in source: SalvageSource
  ) throws(LogError) -> (manifest: Manifest?, isWhole: Bool) {
    let carriers = own.filter { $0.copy != nil }.sorted {
      ($0.copy?.generation ?? 0, $0.identifier) > ($1.copy?.generation ?? 0, $1.identifier)
    }
    var newest: Manifest?
    for carrier in carriers {
      guard let copy = try carrier.manifest(in: source) else { continue }
      // Beside an older one that lists what is gone nothing is to be expected.
      let isNewest = newest == nil
      if isWhole(copy, in: own) || isNewest && !isBesideInputs(copy, in: own) {
        return (copy, true)
      }
      newest = newest ?? copy
    }
    return (newest, false)
  }

  private static func isWhole(_ manifest: Manifest, in own: [FoundSegment]) -> Bool {
    let there = Dictionary(own.map { ($0.identifier, $0) }) { first, _ in first }
    return manifest.segments.allSatisfy { listed in
      guard listed.isSealed else { return true }
      guard let file = there[listed.identifier] else { return false }
      // A damaged header does not tell; the file counts where it may hold records.
      return file.header.map { $0.salt == listed.salt && $0.stream == listed.stream } ?? true
    }
  }

  /// Whether something is there that the manifest was to replace.
  private static func isBesideInputs(_ manifest: Manifest, in own: [FoundSegment]) -> Bool {
    let listed = Set(manifest.segments.map(\.identifier))
    return own.contains { file in
      file.identifier.rawValue < manifest.nextSegment && !listed.contains(file.identifier)
    }
  }

  /// Whether a segment that the copy knew as the active one has gone since, and another one holds
  /// its commits: after a crash they are copied.
  private static func isReplaced(_ descriptor: SegmentDescriptor, by own: [FoundSegment]) -> Bool {
    guard !descriptor.isSealed, descriptor.recordCount > 0,
      !own.contains(where: { $0.identifier == descriptor.identifier })
    else { return false }
    return own.contains {
      $0.header?.stream == .user && $0.header?.firstSequence == descriptor.minimumSequence
    }
  }

  private mutating func noteStrangers(
    _ found: [FoundSegment], of store: StoreIdentifier, listed: Set<SegmentIdentifier>
  ) {
    for segment in found {
      guard let header = segment.header, header.store != store else { continue }
      let file = StoreDirectory.segment(segment.identifier).description
      if listed.contains(segment.identifier) {
        losses.append(
          SalvageReport.Loss(
            file: file, range: 0..<UInt64(SegmentHeader.byteCount),
            reason: "its header names another store"))
      } else {
        notes.append("\(file) is of another store, and was left out")
      }
    }
  }
}

extension FoundSegment {
  /// Whether anything may be saved of a segment whose header does not verify.
  fileprivate func mayHoldRecords(in source: SalvageSource) -> Bool {
    hasContents || source.damage(of: StoreDirectory.segment(identifier)) != nil
  }
}
