#if Macros
  /// Makes a struct or a final class storable: writes the visitor of its members, and what follows
  /// from their attributes.
  ///
  ///     @Model struct Person {
  ///       @PrimaryKey var id: UUID
  ///       var fullName: String
  ///       @Indexed var age: Int = 0
  ///       @Unique var email: String?
  ///       @Transient var isSelected = false
  ///     }
  ///
  /// Without a member marked ``PrimaryKey()`` a struct becomes an ``EmbeddedObject``. Initial
  /// values are those of members that a store opened without a history finds missing in old
  /// objects; of one that states none, zero, no text, nothing. Observers of a stored member would
  /// run whenever an object is read or put, and are warned of; members inside `#if` are refused.
  /// The macro adds an `init()` that the store reads into; where all parameters of an initialiser
  /// of your own have defaults, or are lists of values, code that writes `Person()` calls yours: it
  /// must not delegate to `self.init()`, which is refused in the body. In an extension nothing
  /// tells that it would call itself without end; call the initialiser with all members there.
  /// An `init()` of your own must stand in the body, where the macro sees it, and not in an
  /// extension: there it would be a second one. Inside `#if` every clause must have one, and there
  /// must be an `#else`.
  /// Declare a public model `Sendable` yourself: `@Model public struct Person: Sendable`. Swift
  /// infers that for types that are not public only.
  /// Needs the package's trait `Macros`.
  @attached(
    extension, conformances: StorableObject, EmbeddedObject,
    names: named(primaryKey), named(indexes), named(formerNames), named(visitMembers),
    named(init()))
  @attached(member, names: named(init()))
  public macro Model() = #externalMacro(module: "ModelMacros", type: "ModelMacro")

  /// Marks the member whose value identifies an object.
  @attached(peer)
  public macro PrimaryKey() = #externalMacro(module: "ModelMacros", type: "MemberMarker")

  /// Marks a member by whose value objects are looked up.
  @attached(peer)
  public macro Indexed() = #externalMacro(module: "ModelMacros", type: "MemberMarker")

  /// Marks a member by whose value objects are looked up, and which no two objects share.
  @attached(peer)
  public macro Unique() = #externalMacro(module: "ModelMacros", type: "MemberMarker")

  /// Marks a member that is not stored.
  @attached(peer)
  public macro Transient() = #externalMacro(module: "ModelMacros", type: "MemberMarker")

  /// Says what a member of a model with a primary key was called before, for stores that are opened
  /// by a configuration; several of them, the newest first, say what it was called before that.
  /// See ``StorableObject/formerNames``.
  @attached(peer)
  public macro Renamed(from name: String) =
    #externalMacro(module: "ModelMacros", type: "MemberMarker")
#endif
