internal import FileIO
internal import SchemaRegistry

/// What somebody who watches some types has not been told yet.
final class ChangeWatch: Sendable {
  let types: Set<TypeIdentity>
  private let keepsKeys: Bool
  private let pending = Lock(ChangedKeys())
  private let bell: AsyncStream<Void>.Continuation

  /// One that rings `bell` when there is something to take; without `keepsKeys` it only tells that
  /// something changed.
  init(_ types: Set<TypeIdentity>, keepsKeys: Bool, bell: AsyncStream<Void>.Continuation) {
    self.types = types
    self.keepsKeys = keepsKeys
    self.bell = bell
  }

  /// Adds what a commit changed; nothing where it made no notes, and may have changed anything.
  func add(_ changes: NotedChanges?) {
    var added = ChangedKeys()
    for type in types {
      added.formUnion(changes?.keysByType[type] ?? .any)
    }
    if added.isEmpty { return }
    if !keepsKeys { added = .any }
    let all = added
    pending.withLock { pending in pending.formUnion(all) }
    bell.yield()
  }

  /// What changed since it was asked last; nothing when nothing did.
  func take() -> ChangedKeys? {
    pending.withLock { pending in
      guard !pending.isEmpty else { return nil }
      defer { pending = ChangedKeys() }
      return pending
    }
  }

  /// Whether there is something to take; for tests.
  var isRung: Bool { pending.withLock { pending in !pending.isEmpty } }

  /// Nothing comes any more.
  func finish() { bell.finish() }
}
