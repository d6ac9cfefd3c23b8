/// What all cursors have in common: they give one object after the other, and may throw at each.
///
/// No `Sequence` for that reason: Swift's loop has no place for an error at each step. Write
/// `while let note = try cursor.next()`, or use what is here.
public protocol StoreCursor<Object> {
  /// What the cursor walks over.
  associatedtype Object
  /// The next object, or nothing after the last; after an error the one behind it.
  func next() throws(StoreError) -> Object?
}

extension StoreCursor {
  /// All objects that are left, in the cursor's order.
  ///
  /// Memory is that of all of them: walk with ``next()`` or ``each(_:)`` where they may be many.
  /// - Throws: the error of the first object that cannot be read; the cursor is behind it then.
  @inlinable
  public func all() throws(StoreError) -> [Object] {
    var objects: [Object] = []
    while let object = try next() { objects.append(object) }
    return objects
  }

  /// The first object that is left, or nothing; it is made, and no other.
  ///
  /// The same as ``next()``, for who asks for one only.
  @inlinable
  public func first() throws(StoreError) -> Object? { try next() }

  /// Calls `body` with each object that is left, in the cursor's order; memory is that of one.
  ///
  /// - Throws: what `body` throws, and the error of the first object that cannot be read; the
  ///   cursor is behind that object then.
  @inlinable
  public func each(_ body: (Object) throws -> Void) throws {
    while let object = try next() { try body(object) }
  }
}

extension ObjectCursor: StoreCursor {}
extension MatchCursor: StoreCursor {}
extension DynamicObjectCursor: StoreCursor {}
extension DynamicMatchCursor: StoreCursor {}
