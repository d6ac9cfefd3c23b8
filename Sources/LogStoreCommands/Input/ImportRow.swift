/// One object of an import file.
struct ImportRow: Equatable, Sendable {
  /// The line on which the row starts, counted from 1.
  var line: Int
  /// Members in the order of the file; no name appears twice.
  var members: [ImportMember]

  /// The value of the member called `name`, or nothing when the row has no such member.
  subscript(name: String) -> ImportValue? {
    members.first { $0.name == name }?.value
  }
}
