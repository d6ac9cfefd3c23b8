import Foundation
import HistoryTestSupport
import LogStoreTesting
import ObjectStore
import Testing

/// What random changes inside of embedded objects mean for older apps.
@Suite struct InnerWayBackPropertyTests {
  @Test("What older apps may do with embedded objects that random versions changed, they can")
  func random() throws {
    var counts: [ForwardGrade: Int] = [:]
    var failures: [String] = []
    for seed in UInt64(1)...800 {
      var histories = RandomHistories(seed: seed)
      let history = histories.nextInside()
      guard history.issues.isEmpty else {
        failures.append("seed \(seed): \(history.issues)")
        continue
      }
      let person = TypeIdentity(introducedIn: 0, originalName: "Person")
      for version in 0..<history.latestVersion.rawValue {
        counts[history.forwardGrade(of: person, since: SchemaVersion(version)), default: 0] += 1
      }
      failures += try history.selfTest(samplesPerType: 10, seed: seed).map { "seed \(seed): \($0)" }
    }
    #expect(failures == [])
    #expect(counts.count == 3)
    #expect(counts.values.allSatisfy { $0 > 40 }, "\(counts)")
  }

  @Test("Most changes of an older app are written, and read by it as it wrote them")
  func written() throws {
    var written = 0
    var failures: [String] = []
    var reasons: [String: Int] = [:]
    for seed in UInt64(1)...800 {
      var histories = RandomHistories(seed: seed)
      let history = histories.nextInside()
      let person = TypeIdentity(introducedIn: 0, originalName: "Person")
      guard history.issues.isEmpty, history.forwardGrade(of: person, since: 0) == .full,
        let known = try history.shape(at: 0).type(person),
        let stored = try history.shape(at: history.latestVersion).type(person)
      else { continue }
      let projection = try Projection(
        known: known, stored: stored, version: history.latestVersion,
        inverses: history.inverses(of: person, after: 0, through: history.latestVersion))
      let plan = try history.upgradePlan(
        for: person, from: 0, source: known, to: history.latestVersion, target: stored)
      for _ in 0..<10 {
        let key = Value.int(1)
        let (old, new) = (
          histories.values(of: known, key: key), histories.values(of: known, key: key)
        )
        let payload = try RecordPayload.encode(old, shape: known)
        let keyBytes = try KeyCoding.encode(key, as: .int64)
        let upgraded = try plan.upgrade(payload, key: keyBytes, committedAt: 0)
        guard let upgraded else { continue }
        let changed = try RecordPayload.encode(new, shape: known)
        do {
          let stored = try projection.write(changed, over: upgraded, key: key)
          let readBack = try projection.read(stored, key: key)
          if readBack != changed, !history.removes {
            failures.append("seed \(seed): \(new), written over \(old), is read as another one")
          }
          if try projection.write(readBack, over: stored, key: key) != stored {
            failures.append("seed \(seed): what is read of \(new), written, changes the record")
          }
          written += 1
        } catch { reasons[Self.reason(error), default: 0] += 1 }
      }
    }
    let refused = reasons.values.reduce(0, +)
    #expect(failures == [])
    #expect(written > 100)
    #expect(written > 4 * refused, "\(written) written, refused: \(reasons)")
  }

  /// Why it was refused, without what it is about.
  private static func reason(_ error: any Error) -> String {
    let text = "\(error)"
    return String(text[(text.range(of: "so: ")?.upperBound ?? text.startIndex)...])
  }
}

extension SchemaHistory {
  /// Whether newer versions have no more what an older app writes.
  fileprivate var removes: Bool {
    versions.contains { version in
      version.changes.contains { change in
        guard case .records(_, let operations) = change else { return true }
        return operations.contains(where: Self.removes)
      }
    }
  }

  private static func removes(_ operation: RecordOperation) -> Bool {
    switch operation {
    case .remove: true
    case .embedded(_, _, let operations): operations.contains(where: removes)
    default: false
    }
  }
}
