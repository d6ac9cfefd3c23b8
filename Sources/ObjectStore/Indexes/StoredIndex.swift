internal import LogStore
internal import SchemaRegistry

/// An index as the catalog knows it: an ordinary collection whose keys are a member's value, or an
/// element of the list that it holds, and the object's key, and whose payloads are empty.
///
/// `version` and `fingerprint` say how the values were computed that it holds: for every live
/// object there is a key with the member's value as seen under that version of that history, or one
/// for each different element.
struct StoredIndex: Sendable, Equatable {
  enum Phase: UInt8, Sendable {
    /// Kept up by every change, but older objects are still missing.
    case building = 0
    /// Holds every object.
    case ready = 1
    /// No longer kept up; its keys are removed when indexes are built.
    case retired = 2
  }

  let type: TypeIdentity
  let member: MemberIdentity
  let collection: CollectionIdentifier
  var isUnique: Bool
  /// Whether it has a key for each element of a list.
  let isOfElements: Bool
  var phase: Phase
  let version: SchemaVersion
  let fingerprint: ShapeFingerprint
}
