internal import SchemaRegistry

/// What a member was in the versions of a store, one after the other: it keeps its identity when it
/// is renamed, but for one whose old name is used again at once, and for one that becomes another
/// type by code.
struct MemberLineage {
  /// The newest first; nothing of a member that no version of the store has.
  private(set) var identities: [MemberIdentity] = []
  /// How many of the identities it has since code made it another type last.
  private var countSinceCode: Int?
  /// Whether what it was before the oldest of them is not recorded: it may not have been new.
  private(set) var isUnrecorded = false

  init() {}

  /// `origins` are what members were in the versions before those that introduced them.
  init(
    of identity: MemberIdentity, _ origins: [MemberIdentity: RecordedLineage.Origin],
    isRecorded: (SchemaVersion) -> Bool
  ) {
    identities = [identity]
    var oldest = identity
    // What a block brings back says nothing of whether the member was new.
    var first: MemberIdentity?
    // Bytes from a disk may go in circles.
    while let origin = origins[oldest], !identities.contains(origin.identity) {
      if origin.change != .renamed, countSinceCode == nil { countSinceCode = identities.count }
      // Code for the version before knows, and nobody else.
      if origin.change == .unclear { return }
      if origin.isBroughtBack, first == nil { first = oldest }
      oldest = origin.identity
      identities.append(oldest)
    }
    isUnrecorded =
      (first != nil || origins[oldest] == nil) && !isRecorded((first ?? oldest).introducedIn)
  }

  /// Those that it has without code in between: what was recorded for these is what it is.
  var identitiesSinceCode: [MemberIdentity] { Array(identities.prefix(countSinceCode ?? .max)) }

  /// Whether code made it another type, so that objects from before hold what code makes of them.
  var isRetyped: Bool { countSinceCode != nil }

  /// Whether code made it another type since it was a stored member.
  func isRetyped(since stored: MemberIdentity) -> Bool {
    isRetyped && !identitiesSinceCode.contains(stored)
  }
}
