/// One person, as the generator makes it; the text members repeat each other as real ones do.
struct Person: Equatable {
  var firstName = ""
  var lastName = ""
  var email = ""
  var phone = ""
  var birthDate = ""
  var street = ""
  var postalCode = ""
  var city = ""
  var country = ""
  var occupation = ""
  var website = ""
  var createdAt = ""
  var note = ""

  /// The members in the order of their tags, which start at 1.
  static let members: [any WritableKeyPath<Person, String> & Sendable] = [
    \.firstName, \.lastName, \.email, \.phone, \.birthDate, \.street, \.postalCode, \.city,
    \.country, \.occupation, \.website, \.createdAt, \.note,
  ]
}
