internal import BinaryCoding
internal import SchemaRegistry

/// Reads an embedded object out of the payload of the object around it.
struct EmbeddedDecodingVisitor: MemberVisitor {
  private var members: MemberReader
  /// What was wrong with the bytes, when a member threw.
  private(set) var failure: BinaryDecodingError?

  init(_ reader: ByteReader, optionalCount: Int) throws(BinaryDecodingError) {
    members = try MemberReader(reader, optionalCount: optionalCount)
  }

  /// What follows the members that were read.
  var reader: ByteReader { members.reader }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    do throws(BinaryDecodingError) { try members.read(into: &value) } catch {
      failure = error
      throw .schema(.malformedShape(reason: "\(error)"))
    }
  }
}
