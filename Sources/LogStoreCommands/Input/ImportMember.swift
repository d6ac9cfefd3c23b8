/// A named value of an object or row.
struct ImportMember: Equatable, Sendable {
  var name: String
  var value: ImportValue

  init(_ name: String, _ value: ImportValue) {
    self.name = name
    self.value = value
  }
}
