internal import LogStore
internal import ObjectStore
internal import SchemaRegistry

/// The versions of a store's objects, and what a history does to them.
struct StoreExplanation {
  /// The objects of one type and version.
  private struct Group {
    let totals: StoreStatistics.TypeTotals
    /// The operations that upgrade them; nothing without a history that knows the type.
    let operationIDs: [String]?
    /// Whether the history ends before their version.
    let isNewer: Bool
  }

  private let summary: StoreSummary
  private let groups: [Group]
  private let barrierIDs: [String]
  private let edits: LedgerComparison
  private let historyEnd: SchemaVersion?

  /// Whether the store is newer than the history: any shape or object of it, as where it is opened.
  var isNewer: Bool {
    guard let historyEnd else { return false }
    return historyEnd < summary.schemas.keys.max() ?? 0 || groups.contains(where: \.isNewer)
  }

  init(_ summary: StoreSummary, history: SchemaHistory?) throws(SchemaError) {
    self.summary = summary
    if let history { try history.validate() }
    historyEnd = history?.latestVersion
    groups = summary.statistics.types.map { totals in
      let identity = summary.schemas[totals.version]?.type(named: totals.type)?.identity
      let operations = history.flatMap { history in
        identity.flatMap { history.knows($0) ? $0 : nil }.map { identity in
          history.operations
            .filter {
              $0.version > totals.version && $0.type == identity && $0.changesObjects
            }
            .map(\.id)
        }
      }
      let isNewer = history.map { $0.latestVersion < totals.version } ?? false
      return Group(
        totals: totals, operationIDs: isNewer ? nil : operations, isNewer: isNewer)
    }
    barrierIDs =
      history.map { history in
        history.operations
          .filter { operation in
            operation.operationClass == .barrier && summary.version != nil
              && operation.version > summary.version ?? 0
          }
          .map(\.id)
      } ?? []
    edits = history?.comparison(with: summary.ledger) ?? LedgerComparison()
  }

  var lines: [String] {
    var lines = ["Version \(summary.version.map { "\($0)" } ?? "none yet")"]
    lines[0] += ", floor \(summary.floor.map { "\($0)" } ?? "none")"
    for group in groups {
      let count = group.totals.totals.recordCount
      var line = "\(group.totals.type) of version \(group.totals.version): \(count)"
      if let ids = group.operationIDs {
        line += ids.isEmpty ? ", current" : ", need \(ids.joined(separator: ", "))"
      }
      if group.isNewer { line += ", newer than the history" }
      lines.append(line)
    }
    if isNewer, let historyEnd {
      lines.append(
        "The history ends with version \(historyEnd) and does not tell what newer objects need")
    }
    if !barrierIDs.isEmpty {
      lines.append("Run when the store is opened: \(barrierIDs.joined(separator: ", "))")
    }
    if !edits.edited.isEmpty {
      lines.append("Edited after they shipped: \(edits.edited.joined(separator: ", "))")
    }
    if !edits.revised.isEmpty { lines.append("Revised: \(edits.revised.joined(separator: ", "))") }
    return lines
  }

  var report: Report {
    [
      "version": summary.version.map { .count($0.rawValue) } ?? .null,
      "newer": .bool(isNewer),
      "floor": summary.floor.map { .count($0.rawValue) } ?? .null,
      "objects": .reports(
        groups.map { group in
          [
            "type": .text(group.totals.type), "version": .count(group.totals.version.rawValue),
            "count": .count(group.totals.totals.recordCount),
            "operations": group.operationIDs.map { .list($0.map { .text($0) }) } ?? .null,
          ]
        }),
      "barriers": .list(barrierIDs.map { .text($0) }),
      "edited": .list(edits.edited.map { .text($0) }),
      "revised": .list(edits.revised.map { .text($0) }),
    ]
  }
}
