/// All measurements of a run, by workload and engine.
struct Results {
  let engines: [EngineKind]
  /// In the order in which they were run.
  let workloads: [String]
  private let summaries: [String: [EngineKind: Summary]]

  init(_ measurements: [Measurement], engines: [EngineKind]) {
    self.engines = engines.filter(\.isOurs) + engines.filter { !$0.isOurs }
    var workloads: [String] = []
    for measurement in measurements where !workloads.contains(measurement.workload) {
      workloads.append(measurement.workload)
    }
    self.workloads = workloads
    summaries = Dictionary(grouping: measurements, by: \.workload).mapValues { group in
      Dictionary(grouping: group, by: \.engine).compactMapValues(Summary.init)
    }
  }

  /// Workloads that the same engines carried out, with these engines; variants are not among them.
  var groups: [(engines: [EngineKind], workloads: [String])] {
    var groups: [(engines: [EngineKind], workloads: [String])] = []
    for workload in workloads {
      let present = engines.filter { !$0.isVariant && self[workload, $0] != nil }
      if present.isEmpty { continue }
      // A workload that LogStore was too quick for stays with those before it.
      let own = present.first(where: \.isOurs) ?? groups.last?.engines.first(where: \.isOurs)
      let isMigration = workload.hasPrefix("migration")
      if let last = groups.indices.last, groups[last].engines.first(where: \.isOurs) == own,
        groups[last].workloads[0].hasPrefix("migration") == isMigration
      {
        groups[last].workloads.append(workload)
        groups[last].engines += present.filter { !groups[last].engines.contains($0) }
      } else {
        groups.append((present, [workload]))
      }
    }
    return groups.map { group in
      (engines.filter { group.engines.contains($0) }, group.workloads)
    }
  }

  subscript(workload: String, engine: EngineKind) -> Summary? { summaries[workload]?[engine] }

  /// LogStore's own result, of bytes or objects.
  func own(_ workload: String) -> Summary? {
    self[workload, .logStore] ?? self[workload, .logStoreObjects]
  }

  /// LogStore's value against a peer's: above 1 is better, whatever is counted. With `variant`,
  /// that one's value in place of LogStore's.
  func ratio(
    _ workload: String, of variant: EngineKind? = nil, to peer: EngineKind
  ) -> Double? {
    let own = variant.map { self[workload, $0] } ?? own(workload)
    guard let own, let other = self[workload, peer], own.median > 0, other.median > 0 else {
      return nil
    }
    return own.unit.isHigherBetter ? own.median / other.median : other.median / own.median
  }

  /// The peer that is hardest to beat in a workload.
  func bestPeer(_ workload: String) -> EngineKind? {
    let peers = engines.compactMap { self[workload, $0] }.filter { !$0.engine.isOurs }
    return peers.max { first, second in
      first.unit.isHigherBetter ? first.median < second.median : first.median > second.median
    }?.engine
  }

  /// LogStore beside its variants, where one of them was measured; nothing when none was.
  var variants: (engines: [EngineKind], workloads: [String])? {
    let present = engines.filter(\.isVariant)
    let measured = workloads.filter { workload in
      present.contains { self[workload, $0] != nil }
    }
    return measured.isEmpty ? nil : ([.logStore] + present, measured)
  }
}
