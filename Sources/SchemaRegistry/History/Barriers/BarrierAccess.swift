/// The store as a barrier sees it: every object of the types it touches, in their shape under the
/// barrier's version, and its own changes.
///
/// Everything a barrier does becomes visible and durable together, or not at all. Memory is bounded
/// whatever the number of objects. Used inside the barrier only, by one thread.
public protocol BarrierAccess: AnyObject {
  /// Visits every object of `type` that there was when the call began, once, in the order of keys.
  ///
  /// Objects deleted meanwhile are passed over, those created meanwhile are not visited. `body`
  /// changes the draft and returns whether the object stays; it cannot change the key. It may
  /// delete the object that it was given, which is gone then, whatever it returns; where it makes
  /// another one with that key, the barrier fails.
  func forEach(
    _ type: String, _ body: (RecordView, inout RecordDraft) throws -> StepOutcome
  ) throws
  /// The object with that key by member names, or nothing when there is none.
  func object(_ type: String, key: Value) throws -> [String: Value]?
  /// Adds an object; members left out are nil. Throws when there is one with its key.
  func create(_ type: String, _ values: [String: Value]) throws
  /// Removes the object with that key; harmless when there is none.
  func delete(_ type: String, key: Value) throws
  /// Removes every object of `type`; false when there is no such type. Throws for a type that the
  /// barrier does not touch.
  @discardableResult
  func deleteAll(_ type: String) throws -> Bool
}
