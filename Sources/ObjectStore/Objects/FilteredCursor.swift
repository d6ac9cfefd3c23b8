/// Walks those objects of another cursor that pass a test; used by one thread.
///
/// It shares the other cursor: what one has given the other does not.
public struct FilteredCursor<Base: StoreCursor>: StoreCursor {
  @usableFromInline let base: Base
  @usableFromInline let isIncluded: (Base.Object) -> Bool

  @inlinable
  init(_ base: Base, _ isIncluded: @escaping (Base.Object) -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  /// The next object that passes, or nothing after the last.
  ///
  /// Reads and makes the objects that it passes over, too, and throws for those that cannot be
  /// read; the next call goes on with the one behind.
  @inlinable
  public func next() throws(StoreError) -> Base.Object? {
    while let object = try base.next() {
      if isIncluded(object) { return object }
    }
    return nil
  }

  /// The number of objects that are left and pass; all that are left are made.
  ///
  /// - Throws: the error of the first object that cannot be read; the cursor is behind it then.
  @inlinable
  public func count() throws(StoreError) -> Int {
    var count = 0
    while try next() != nil { count += 1 }
    return count
  }
}

extension StoreCursor {
  /// Those of the objects that are left that pass a test: a second condition, or any after it.
  ///
  ///     let recent = try snapshot.objects(Book.self, where: \.genre, equals: .science)
  ///       .filter { $0.year > 1842 && !$0.isLent }
  ///
  /// Nothing is read before the first is asked for. Look up by the condition that fewer objects
  /// meet: those of the others are read and made.
  @inlinable
  public func filter(_ isIncluded: @escaping (Object) -> Bool) -> FilteredCursor<Self> {
    FilteredCursor(self, isIncluded)
  }
}
