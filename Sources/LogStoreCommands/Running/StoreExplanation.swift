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
    /// Whether the history begins after it: it was squashed, and these objects cannot be read.
    let isOlder: Bool
  }

  private let summary: StoreSummary
  private let groups: [Group]
  private let barrierIDs: [String]
  private let edits: LedgerComparison
  private let historyBase: SchemaVersion?
  private let historyEnd: SchemaVersion?

  /// Whether the store is newer than the history: any shape or object of it, as where it is opened.
  var isNewer: Bool {
    guard let historyEnd else { return false }
    return historyEnd < summary.schemas.keys.max() ?? 0 || groups.contains(where: \.isNewer)
  }

  /// Whether there are objects from before the history begins, with which no store is opened.
  var isOlder: Bool { groups.contains(where: \.isOlder) }

  init(_ summary: StoreSummary, history: SchemaHistory?) throws(SchemaError) {
    self.summary = summary
    if let history { try history.validate() }
    historyBase = history?.base.version
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
      let isOlder =
        operations != nil && totals.totals.recordCount > 0
        && history.map { totals.version < $0.base.version } ?? false
      return Group(
        totals: totals, operationIDs: isNewer || isOlder ? nil : operations, isNewer: isNewer,
        isOlder: isOlder)
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
      if group.isOlder { line += ", older than the history" }
      lines.append(line)
    }
    if isNewer, let historyEnd {
      lines.append(
        "The history ends with version \(historyEnd) and does not tell what newer objects need")
    }
    if isOlder, let historyBase {
      lines.append(
        "The history begins with version \(historyBase) and does not tell what older objects need: "
          + "migrate them with one that does")
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
      "older": .bool(isOlder),
      "floor": summary.floor.map { .count($0.rawValue) } ?? .null,
      "objects": .reports(
        groups.map { group in
          [
            "type": .text(group.totals.type), "version": .count(group.totals.version.rawValue),
            "count": .count(group.totals.totals.recordCount),
            "operations": group.operationIDs.map { .list($0.map { .text($0) }) } ?? .null,
            "older": .bool(group.isOlder),
          ]
        }),
      "barriers": .list(barrierIDs.map { .text($0) }),
      "edited": .list(edits.edited.map { .text($0) }),
      "revised": .list(edits.revised.map { .text($0) }),
    ]
  }
}
