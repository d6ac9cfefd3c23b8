extension StorableObject {
  /// The name in the schema of the member that a key path leads to.
  ///
  /// Makes an object, of a class two, and visits its members: the one that is visited where the key
  /// path leads to in memory is the one that is meant. Of a class a computed or observed member is
  /// read and written in both before it is refused, as nothing else tells it from a stored one.
  /// - Throws: ``StoreError/invalidLookup(type:member:reason:)`` where none is: for what is
  ///   computed, observed, or lies inside of a member, types without a visitor of their own, and
  ///   members whose type takes no memory.
  static func memberName<Member>(
    at path: KeyPath<Self, Member>
  ) throws(StoreError) -> String {
    // Those of a structure all lie at its beginning, and in a member that begins there: another
    // might be found. Swift names the key path by the place, too.
    guard MemoryLayout<Member>.size > 0 else {
      throw .invalidLookup(
        type: typeName, member: "a key path to \(Member.self)",
        reason: "its values take no memory, so their place does not tell which member is meant; "
          + "give the member's name, as in where: \"name\"")
    }
    // Not on the stack, where a copy of another member might come to lie at the same place.
    let memory = UnsafeMutablePointer<Self>.allocate(capacity: 1)
    memory.initialize(to: Self())
    defer {
      memory.deinitialize(count: 1)
      memory.deallocate()
    }
    if let place = place(of: path, in: memory) {
      var visitor = MemberPlaceVisitor(place, Member.self)
      try memory.pointee.visitMembers(&visitor)
      if let name = visitor.name { return name }
    }
    throw .invalidLookup(
      type: typeName, member: "\(path)",
      reason: "no stored member of its own lies at this key path; give the member's name, "
        + "as in where: \"name\"")
  }

  /// Where in memory a key path leads to.
  private static func place<Member>(
    of path: KeyPath<Self, Member>, in object: UnsafeMutablePointer<Self>
  ) -> UnsafeRawPointer? {
    if let offset = MemoryLayout<Self>.offset(of: path) { return UnsafeRawPointer(object) + offset }
    guard Self.self is AnyClass, let path = path as? ReferenceWritableKeyPath<Self, Member> else {
      return nil
    }
    let offset = offset(of: path, in: object.pointee)
    // What is observed or computed is a copy, which lies no further from one object than from
    // another.
    guard offset == self.offset(of: path, in: Self()) else { return nil }
    return UnsafeRawPointer(address(of: object.pointee) + offset)
  }

  /// How far behind the beginning of an object of a class its member lies.
  private static func offset<Member>(
    of path: ReferenceWritableKeyPath<Self, Member>, in object: Self
  ) -> Int {
    let place = withUnsafePointer(to: &object[keyPath: path]) { UnsafeRawPointer($0) }
    return place - UnsafeRawPointer(address(of: object))
  }

  private static func address(of object: Self) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object as AnyObject).toOpaque()
  }
}
