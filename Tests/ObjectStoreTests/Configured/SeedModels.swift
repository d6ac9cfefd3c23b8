import ObjectStore

/// The models of the examples in Realm's documentation of migrations, version by version. Objects
/// need a key here, which those of the examples do not have.
enum SeedModels {
  struct Names: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var firstName = ""
    var lastName = ""
    var age = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("firstName", &firstName)
      try visitor.member("lastName", &lastName)
      try visitor.member("age", &age)
    }
  }

  struct FullName: StorableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var fullName = ""
    var age = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("fullName", &fullName)
      try visitor.member("age", &age)
    }
  }

  struct FullNameAndEmail: StorableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var fullName = ""
    var email: String? = "nobody@example.com"
    var age = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("fullName", &fullName)
      try visitor.member("email", &email)
      try visitor.member("age", &age)
    }
  }

  struct YearsSinceBirth: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var firstName = ""
    var lastName = ""
    var yearsSinceBirth = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("firstName", &firstName)
      try visitor.member("lastName", &lastName)
      try visitor.member("yearsSinceBirth", &yearsSinceBirth)
    }
  }

  /// The last example: one name and an age, then an email, then two names.
  struct Name: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var name = ""
    var age = 0
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("age", &age)
    }
  }

  struct NameAndEmail: StorableObject {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var name = ""
    var age = 0
    var email = ""
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("name", &name)
      try visitor.member("age", &age)
      try visitor.member("email", &email)
    }
  }

  struct FirstAndLastName: StorableObject, Equatable {
    static let typeName = "Person"
    static let primaryKey = "id"
    var id = 0
    var firstName: String?
    var lastName: String?
    var age = 0
    var email = "unset"
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
      try visitor.member("firstName", &firstName)
      try visitor.member("lastName", &lastName)
      try visitor.member("age", &age)
      try visitor.member("email", &email)
    }
  }
}
