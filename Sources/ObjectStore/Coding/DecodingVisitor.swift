public import BinaryCoding
public import SchemaRegistry

/// Reads a record payload, or an embedded object in it, into an object whose members are visited in
/// the order in which they are stored.
///
/// A walk makes one for each object. So it holds nothing that is counted, but for a key that is a
/// text or bytes, and who made it gives errors the name and the key of the object. Nor do members
/// throw, as the code for that would be most of theirs: from the first one that cannot be read on
/// no bytes are read, and ``finish()`` throws.
@usableFromInline
struct DecodingVisitor: MemberVisitor {
  /// Why a member could not be read.
  @usableFromInline
  enum Failure {
    /// The bytes are not those of the members, or not of the one in that place.
    case bytes(BinaryDecodingError, place: Int)
    /// The key has another type than its member.
    case key
  }

  @usableFromInline var members: MemberReader
  @usableFromInline let key: Value
  @usableFromInline let keyIndex: Int
  @usableFromInline var index = 0
  /// What was wrong first.
  @usableFromInline var failure: Failure?

  /// For an object with a key at `keyIndex`, or for an embedded one without.
  @inlinable
  init(_ reader: ByteReader, key: Value = .null, keyIndex: Int = -1) {
    members = MemberReader(reader)
    self.key = key
    self.keyIndex = keyIndex
  }

  /// Reads which of the members that may be absent are there; comes first.
  @inlinable
  mutating func start(optionalCount: Int) throws(StoreError) {
    do throws(BinaryDecodingError) {
      try members.readPresence(optionalCount: optionalCount)
    } catch {
      note(error)
      throw Self.stop
    }
  }

  /// What follows the members that were read.
  @inlinable var reader: ByteReader { members.reader }

  @inlinable
  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    read(&value)
  }

  /// The next member.
  @inlinable @inline(__always)
  mutating func read<Member: StorableValue>(_ value: inout Member) {
    let place = index
    index = place &+ 1
    if place == keyIndex { return readKey(&value) }
    do throws(BinaryDecodingError) { try members.read(into: &value) } catch { note(error) }
  }

  @inlinable @inline(never)
  mutating func readKey<Member: StorableValue>(_ value: inout Member) {
    guard failure == nil else { return }
    if let decoded = Member(dynamicValue: key) { value = decoded } else { fail(.key) }
  }

  /// Throws unless every byte was read; comes last.
  @inlinable
  mutating func finish() throws(StoreError) {
    do throws(BinaryDecodingError) { try reader.expectEnd() } catch { note(error) }
    if failure != nil { throw Self.stop }
  }

  @usableFromInline @inline(never)
  mutating func note(_ cause: BinaryDecodingError) {
    // The member that is read was counted already.
    fail(.bytes(cause, place: index - 1))
  }

  /// Keeps what was wrong first, and leaves nothing to read.
  @usableFromInline @inline(never)
  mutating func fail(_ failure: Failure) {
    if self.failure == nil { self.failure = failure }
    members.end()
  }

  /// What ends the visit; whoever made the visitor throws what is known of the failure instead.
  @usableFromInline
  static var stop: StoreError {
    .schema(.malformedShape(reason: "a member cannot be read"))
  }
}
