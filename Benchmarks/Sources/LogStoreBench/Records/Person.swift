/// One person, as the generator makes it; the texts repeat each other as real ones do.
struct Person: Equatable, Sendable {
  var id = 0
  var firstName = ""
  var lastName = ""
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

  /// The texts in the order of their tags, which start at 1.
  static let texts: [any WritableKeyPath<Person, String> & Sendable] = [
    \.firstName, \.lastName, \.email, \.phone, \.birthDate, \.city, \.address, \.billingAddress,
    \.country, \.occupation, \.website, \.createdAt, \.updatedAt, \.note,
  ]

  /// Their names, in the same order.
  static let memberNames = [
    "firstName", "lastName", "email", "phone", "birthDate", "city", "address", "billingAddress",
    "country", "occupation", "website", "createdAt", "updatedAt", "note",
  ]
}
