import BinaryCoding
import HistoryTestSupport
import StorageTestSupport
import Testing

@testable import SchemaRegistry

@Suite("Record payloads")
struct RecordPayloadTests {
  private func person() throws -> TypeShape {
    try TypeShape(
      name: "Person", identity: TypeIdentity(introducedIn: 0, originalName: "Person"),
      keyMember: "id",
      members: [
        MemberShape("name", .string), MemberShape("id", .int64),
        MemberShape("email", .optional(.string)), MemberShape("age", .int32),
        MemberShape("tags", .list(.optional(.int64))), MemberShape("seen", .optional(.date)),
      ])
  }

  @Test("A payload is the presence bits and the present values in member order, without the key")
  func bytes() throws {
    let payload = try RecordPayload.encode(
      [
        .string("Ada"), .int(7), .null, .int(-1), .list([.int(2), .null]), .date(1),
      ], shape: person())
    let date: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]
    #expect(payload == [0b10, 3, 0x41, 0x64, 0x61, 1, 2, 1, 4, 0] + date)
  }

  @Test("Every scalar has the documented bytes")
  func scalars() throws {
    let members: [(FieldType, Value, [UInt8])] = [
      (.bool, .bool(true), [1]), (.int32, .int(64), [0x80, 1]), (.int64, .int(-64), [0x7F]),
      (.float, .float(1), [0, 0, 0x80, 0x3F]), (.string, .string("é"), [2, 0xC3, 0xA9]),
      (.data, .data([9]), [1, 9]),
      (
        .uuid, .uuid(UniqueIdentifier(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)),
        Array(1...16)
      ),
      (
        .dictionary(.bool), .dictionary(["b": .bool(true), "a": .bool(false)]),
        [2, 1, 0x61, 0, 1, 0x62, 1]
      ),
      (
        .object([MemberShape("x", .optional(.bool)), MemberShape("y", .bool)]),
        .object(["y": .bool(true)]), [0, 1]
      ),
    ]
    for (type, value, expected) in members {
      let shape = try shape([type])
      #expect(try RecordPayload.encode([.int(1), value], shape: shape) == expected)
    }
  }

  @Test("A type without other members has an empty payload")
  func keyOnly() throws {
    let shape = try shape([])
    #expect(try RecordPayload.encode([.int(1)], shape: shape) == [])
    #expect(try RecordPayload.decode([], key: .int(1), shape: shape) == [.int(1)])
  }

  /// Where the members lie in a payload.
  private static func ranges(_ payload: [UInt8], _ shape: TypeShape) throws -> [Range<Int>?] {
    try payload.withUnsafeBytes { bytes in
      PlanMemory.with(memberCount: shape.layout.memberCount, stepCount: 0) { memory in
        Result {
          try shape.layout.find(memory.ranges, in: bytes)
          return shape.members.indices.map { memory.ranges[$0] }
        }
      }
    }.get()
  }

  @Test("Random records of random shapes come back as they were", arguments: 0..<8)
  func roundTrip(_ part: Int) throws {
    let seed = UInt64(0xC0DE + part)
    var random = SeededGenerator(seed: seed)
    for round in 0..<250 {
      let shape = try RandomSchemas.shape(&random)
      var values = RandomSchemas.values(shape, &random)
      values[shape.keyIndex] = RandomSchemas.key(shape.keyType, &random)
      let payload = try RecordPayload.encode(values, shape: shape)
      let decoded = try RecordPayload.decode(payload, key: values[shape.keyIndex], shape: shape)
      try #require(decoded == values, "seed \(seed) round \(round)")
      try #require(try RecordPayload.encode(decoded, shape: shape) == payload)
      let ranges = try Self.ranges(payload, shape)
      for (index, member) in shape.members.enumerated() where index != shape.keyIndex {
        let isPresent = !values[index].isNull || !member.type.isOptional
        try #require((ranges[index] != nil) == isPresent, "seed \(seed) round \(round)")
      }
    }
  }

  @Test("Every truncation is refused, every bit flip is refused or gives a valid record")
  func damage() throws {
    let seed: UInt64 = 0xDA_4A6E
    var random = SeededGenerator(seed: seed)
    for round in 0..<120 {
      let shape = try RandomSchemas.shape(&random)
      var values = RandomSchemas.values(shape, &random)
      values[shape.keyIndex] = RandomSchemas.key(shape.keyType, &random)
      let payload = try RecordPayload.encode(values, shape: shape)
      for length in payload.indices {
        #expect(throws: SchemaError.self, "seed \(seed) round \(round)") {
          try RecordPayload.decode(
            Array(payload[..<length]), key: values[shape.keyIndex], shape: shape)
        }
      }
      for bit in 0..<(payload.count * 8) {
        var damaged = payload
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        let decoded = try? RecordPayload.decode(
          damaged, key: values[shape.keyIndex], shape: shape)
        if let decoded {
          let isValid = zip(decoded, shape.members).allSatisfy { $0.isValid(for: $1.type) }
          try #require(isValid, "seed \(seed) round \(round) bit \(bit)")
        }
        _ = try? Self.ranges(damaged, shape)
      }
    }
  }

  @Test("Bytes after the last value are refused")
  func trailing() throws {
    #expect {
      try RecordPayload.decode([1, 0], key: .int(5), shape: shape([.bool]))
    } throws: { error in
      "\(error)".contains("Thing 5") && "\(error)".contains("left over")
    }
  }

  @Test(
    "Counts beyond the bytes, unused presence bits, bools above 1 and unordered keys are refused",
    arguments: [
      (FieldType.list(.bool), [0xFF, 0xFF, 0xFF, 0x7F]), (.optional(.bool), [0b11, 1]),
      (.bool, [2]), (.dictionary(.bool), [2, 1, 0x62, 1, 1, 0x61, 1]),
      (.dictionary(.bool), [2, 1, 0x61, 1, 1, 0x61, 1]), (.string, [1, 0xFF]),
      (.int32, [0xFF, 0xFF, 0xFF, 0xFF, 0x1F]),
    ] as [(FieldType, [UInt8])])
  func malformed(_ type: FieldType, _ payload: [UInt8]) throws {
    #expect(throws: SchemaError.self) {
      try RecordPayload.decode(payload, key: .int(1), shape: shape([type]))
    }
  }

  @Test("A value that does not fit is refused and named with its path, never with its content")
  func misfit() throws {
    let inner = FieldType.object([MemberShape("street", .string)])
    #expect(
      throws: SchemaError.invalidValue(
        type: "Thing", member: "m0.street", reason: "string expected, integer given")
    ) {
      try RecordPayload.encode(
        [.int(1), .object(["street": .int(5)])], shape: shape([inner]))
    }
    #expect(throws: SchemaError.self) {
      try RecordPayload.encode([.int(1), .null], shape: shape([.string]))
    }
    #expect(throws: SchemaError.self) {
      try RecordPayload.encode([.int(1), .int(1 << 40)], shape: shape([.int32]))
    }
    #expect(throws: SchemaError.self) {
      try RecordPayload.encode(
        [.int(1), .object(["street": .string(""), "other": .null])], shape: shape([inner]))
    }
  }

  @Test("The primitives write what the payload codec writes")
  func primitives() throws {
    var writer = ByteWriter()
    PayloadPrimitives.writeInt64(-5, to: &writer)
    PayloadPrimitives.writeString("hé", to: &writer)
    PayloadPrimitives.writeDouble(.pi, to: &writer)
    PayloadPrimitives.writeUUID(UniqueIdentifier(high: 1, low: 2), to: &writer)
    let payload = try RecordPayload.encode(
      [.int(1), .int(-5), .string("hé"), .double(.pi), .uuid(UniqueIdentifier(high: 1, low: 2))],
      shape: shape([.int64, .string, .double, .uuid]))
    #expect(writer.array() == payload)
    try payload.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      #expect(try PayloadPrimitives.readInt64(from: &reader) == -5)
      #expect(try PayloadPrimitives.readString(from: &reader) == "hé")
      #expect(try PayloadPrimitives.readDouble(from: &reader) == .pi)
      #expect(
        try PayloadPrimitives.readUUID(from: &reader) == UniqueIdentifier(high: 1, low: 2))
      try reader.expectEnd()
    }
  }

  private func shape(_ types: [FieldType]) throws -> TypeShape {
    try TypeShape(
      name: "Thing", identity: TypeIdentity(introducedIn: 0, originalName: "Thing"),
      keyMember: "id",
      members: [MemberShape("id", .int64)]
        + types.enumerated().map { MemberShape("m\($0)", $1) })
  }
}
