import Foundation
import ObjectStore

/// A record as an object: bytes under a key of bytes.
struct KeyedValue: StorableObject {
  static let primaryKey = "key"

  static let history = SchemaHistory {
    Base(0) {
      Type("KeyedValue", key: "key") {
        Field("key", .data)
        Field("value", .data)
      }
    }
  }

  var key = Data()
  var value = Data()

  init() {}

  init(_ record: RecordBytes) {
    key = Data(record.key)
    value = Data(record.value)
  }

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("key", &key)
    try visitor.member("value", &value)
  }
}
