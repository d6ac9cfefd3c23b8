/// Something that a check of a history cannot tell, as the history does not say it.
public struct CheckLimit: Hashable, Sendable, CustomStringConvertible {
  /// What is not checked, as in `Records of versions before 3`.
  public let subject: String
  /// Why not, as a clause.
  public let reason: String
  /// What would tell it, as one or more sentences.
  public let suggestion: String

  public var description: String { "\(subject): \(reason). \(suggestion)" }
}

extension SchemaHistory {
  /// What ``check(_:since:)`` cannot tell of this history; with `shipped` ``check(_:against:)``.
  /// `since` is the last version that shipped, where that alone is known.
  public func checkLimits(
    against shipped: SchemaHistory? = nil, since: SchemaVersion? = nil
  ) -> [CheckLimit] {
    var limits: [CheckLimit] = []
    if base.isLate {
      limits.append(
        CheckLimit(
          subject: "Records of versions before \(base.version)",
          reason: "the history begins there, and what led to it is gone",
          suggestion: "Stores that have some are refused at opening; ask each with "
            + "Store.info(at:)."))
    }
    if shipped == nil, let since {
      limits.append(
        CheckLimit(
          subject: "Edits of what shipped",
          reason: "no file says what the versions up to \(since) were",
          suggestion: "Compare with the history that was exported when it shipped, by --against."))
    }
    if let shipped, shipped.base.lacksPast || base.lacksPast {
      let begins = shipped.base.lacksPast ? shipped.base : base
      limits.append(
        CheckLimit(
          subject: "Edits of what led to version \(begins.version)",
          reason: (shipped.base.lacksPast ? "the shipped form" : "the history")
            + " begins there, and has no fingerprint",
          suggestion: "Compare with a history that was exported when it shipped."))
    }
    return limits
  }
}

extension Base {
  /// Whether there were versions before this one.
  fileprivate var isLate: Bool { version > 0 && (fingerprint != nil || lacksPast) }

  /// Whether there were versions before this one, and nothing here tells which.
  var lacksPast: Bool {
    fingerprint == nil
      && types.contains { type in
        type.identity.map { $0.introducedIn < version } == true
          || type.fields.contains { $0.identity.map { $0.introducedIn < version } == true }
      }
  }
}
