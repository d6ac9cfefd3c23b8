/// The way to a value in a row, through its member.
///
/// Each value holds the step to it and the way before that: texts of all of them would take work in
/// the product of the number of values and the length of the names around them.
indirect enum MemberPath {
  case row
  case member(String, of: MemberPath)
  case element(of: MemberPath)

  /// As in `lines[].price`; made where an error needs it.
  var text: String {
    switch self {
    case .row: ""
    case .member(let name, of: .row): name
    case .member(let name, let parent): "\(parent.text).\(name)"
    case .element(let parent): "\(parent.text)[]"
    }
  }
}
