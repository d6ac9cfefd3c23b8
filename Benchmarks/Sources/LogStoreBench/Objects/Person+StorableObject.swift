import ObjectStore

extension Person: StorableObject {
  static let primaryKey = "id"

  static let history: SchemaHistory = SchemaHistory { Base(0) { type } }

  static let type = Type("Person", key: "id") {
    Field("id", .int64)
    for name in memberNames { Field(name, .string) }
    Field("balance", .int64)
  }

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("firstName", &firstName)
    try visitor.member("lastName", &lastName)
    try visitor.member("email", &email)
    try visitor.member("phone", &phone)
    try visitor.member("birthDate", &birthDate)
    try visitor.member("city", &city)
    try visitor.member("address", &address)
    try visitor.member("billingAddress", &billingAddress)
    try visitor.member("country", &country)
    try visitor.member("occupation", &occupation)
    try visitor.member("website", &website)
    try visitor.member("createdAt", &createdAt)
    try visitor.member("updatedAt", &updatedAt)
    try visitor.member("note", &note)
    try visitor.member("balance", &balance)
  }
}
