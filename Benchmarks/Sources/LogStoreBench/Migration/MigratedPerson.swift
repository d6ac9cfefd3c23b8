import ObjectStore

/// A person in the shape that every chain of steps ends with: one name in place of two.
struct MigratedPerson: Equatable, Sendable {
  var id = 0
  var fullName = ""
  var email = ""
  var phone = ""
  var birthDate = ""
  var city = ""
  var address = ""
  var billingAddress = ""
  var country = ""
  var occupation = ""
  var website = ""
  var createdAt = ""
  var updatedAt = ""
  var note = ""
  var balance = 0

  /// All texts but the name, in the order in which persons had them.
  static let texts: [any WritableKeyPath<MigratedPerson, String> & Sendable] = [
    \.email, \.phone, \.birthDate, \.city, \.address, \.billingAddress, \.country, \.occupation,
    \.website, \.createdAt, \.updatedAt, \.note,
  ]

  /// The columns of an SQL table, in the order of the members here.
  static let columnNames = ["id", "fullName"] + Person.memberNames.dropFirst(2) + ["balance"]
}

extension MigratedPerson {
  /// What becomes of `person`.
  init(_ person: Person) {
    self.init()
    id = person.id
    fullName = "\(person.firstName) \(person.lastName)"
    for (new, old) in zip(Self.texts, Person.texts.dropFirst(2)) {
      self[keyPath: new] = person[keyPath: old]
    }
    balance = person.balance
  }
}

extension MigratedPerson: StorableObject {
  static let primaryKey = "id"
  static let typeName = "Person"

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
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
    try visitor.member("fullName", &fullName)
  }
}
