public import BinaryCoding
public import SchemaRegistry

/// Reads a record payload, or an embedded object in it, into an object whose members are visited in
/// the order in which they are stored.
///
/// A walk makes one for each object. So it holds nothing that is counted, but for a key that is a
/// text or bytes, and who made it gives errors the name and the key of the object.
@usableFromInline
struct DecodingVisitor: MemberVisitor {
  /// Why a member threw.
  @usableFromInline
  enum Failure {
    /// The bytes are not those of the members.
    case bytes(BinaryDecodingError)
    /// The key has another type than its member.
    case key
  }

  @usableFromInline var members: MemberReader
  @usableFromInline let key: Value
  @usableFromInline let keyIndex: Int
  @usableFromInline var index = 0
  /// Set when a member threw.
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
    } catch { throw noted(.bytes(error)) }
  }

  /// What follows the members that were read.
  @inlinable var reader: ByteReader { members.reader }

  @inlinable
  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    try read(&value)
  }

  /// The next member.
  @inlinable @inline(__always)
  mutating func read<Member: StorableValue>(_ value: inout Member) throws(StoreError) {
    defer { index &+= 1 }
    if index == keyIndex {
      guard let decoded = Member(dynamicValue: key) else { throw noted(.key) }
      value = decoded
      return
    }
    do throws(BinaryDecodingError) { try members.read(into: &value) } catch {
      throw noted(.bytes(error))
    }
  }

  /// Throws unless every byte was read; comes last.
  @inlinable
  mutating func finish() throws(StoreError) {
    do throws(BinaryDecodingError) { try reader.expectEnd() } catch {
      throw noted(.bytes(error))
    }
  }

  /// What stops the visit; whoever made the visitor throws what is known of the failure instead.
  @usableFromInline @inline(never)
  mutating func noted(_ failure: Failure) -> StoreError {
    self.failure = failure
    return .schema(.malformedShape(reason: "a member cannot be read"))
  }
}
