internal import FileIO
internal import LogStore
internal import ObjectStore
internal import SchemaRegistry

extension CommandError {
  /// The error for programs: its status in words and as a number, a sentence, and the evidence.
  var report: Report {
    var report: Report = [
      "error": .text("\(status)"), "exitCode": .integer(Int64(status.rawValue)),
      "message": .text(description),
    ]
    for (name, value) in evidence { report[name] = value }
    return report
  }

  private var evidence: [(String, ImportValue)] {
    switch self {
    case .store(.log(.storeIsInUse(let path, let holder))):
      [("path", .text(path)), ("holder", holder.map { .integer(Int64($0)) } ?? .null)]
    case .store(.log(.unfinishedCopy(let path))):
      [("path", .text(path))]
    case .store(.log(.corruption(let damage))):
      Self.evidence(of: damage)
    case .store(.schema(let error)):
      Self.evidence(of: error)
    case .store(.floorTooHigh(let floor, let obstacles)):
      [("floor", .count(floor.rawValue)), ("stores", .reports(obstacles.map(Self.report)))]
    case .store(.log(.fileIO(let error))), .file(let error), .importing(.unreadable(let error)):
      [("path", .text(error.path))]
    case .store(.log(.diskFull(let cause, let needed, let free))):
      [
        ("path", .text(cause.path)), ("needed", needed.map { .count($0) } ?? .null),
        ("free", free.map { .count($0) } ?? .null),
      ]
    case .undescribed(let objects):
      [("type", .text(objects.type)), ("records", .count(objects.count))]
    case .barrierBeforePlan(let estimate):
      [("barriers", .list(estimate.operationIDs.map { .text($0) }))]
    case .afterImporting(let count, let cause):
      [("imported", .count(count))] + cause.evidence
    case .importing(let error):
      error.line.map { [("line", .integer(Int64($0)))] } ?? []
    default: []
    }
  }

  private static func evidence(of damage: CorruptionReport) -> [(String, ImportValue)] {
    [
      ("file", .text(damage.file)), ("offset", .count(damage.offset)),
      ("reason", .text(damage.reason)),
    ]
  }

  private static func report(_ obstacle: FloorObstacle) -> Report {
    [
      "path": .text(obstacle.path),
      "version": obstacle.version.map { .count($0.rawValue) } ?? .null,
      "objects": .reports(
        obstacle.objects.map { objects in
          [
            "type": .text(objects.type), "oldestVersion": .count(objects.oldestVersion.rawValue),
            "count": .count(objects.count),
            "removedIn": objects.removedIn.map { .count($0.rawValue) } ?? .null,
          ]
        }),
      "barriers": .list(obstacle.barrierIDs.map { .text($0) }),
      "failure": obstacle.failure.map { .text("\($0)") } ?? .null,
      "highestFloor": obstacle.highestFloor.map { .count($0.rawValue) } ?? .null,
    ]
  }

  private static func evidence(of error: SchemaError) -> [(String, ImportValue)] {
    switch error {
    case .migrationFailed(let type, let keyText, let version, let step, _):
      [
        ("type", .text(type)), ("key", .text(keyText)), ("version", .count(version.rawValue)),
        ("step", .text(step)),
      ]
    case .storeIsNewer(let stored, let requested):
      [("stored", .count(stored.rawValue)), ("requested", .count(requested.rawValue))]
    case .unknownCase(let type, let keyText, let member, _, _):
      [("type", .text(type)), ("key", .text(keyText)), ("member", .text(member))]
    case .malformedPayload(let type, let keyText, _):
      [("type", .text(type)), ("key", .text(keyText))]
    case .schemaMismatch(_, let differences), .chainDoesNotReachModel(_, let differences):
      [("differences", .list(differences.map { .text("\($0)") }))]
    default: []
    }
  }
}

extension ImportError {
  /// The line of the input that is concerned, where there is one.
  var line: Int? {
    switch self {
    case .rowTooLong(let line, _), .invalidUTF8(let line), .invalidJSON(let line, _, _),
      .notAnObject(let line, _), .invalidHeader(let line, _), .cellCount(let line, _, _),
      .unterminatedQuote(let line, _), .misplacedQuote(let line, _), .invalidEscape(let line, _),
      .strayCarriageReturn(let line, _),
      .tooManyMembers(let line, _), .tooManyNames(let line, _), .tooLongNames(let line, _),
      .conflictingKinds(_, let line, _, _, _),
      .unknownMember(let line, _), .missingMember(let line, _), .invalidValue(let line, _, _, _),
      .refusedValue(let line, _, _), .refusedObject(let line, _), .invalidKey(let line, _):
      line
    case .unreadable, .unusableKey, .unusableShape, .noRows, .inputChanged: nil
    }
  }
}
