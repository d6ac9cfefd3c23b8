/// What a command found or did, for programs: named values, written as canonical JSON.
struct Report: ExpressibleByDictionaryLiteral {
  private var members: [ImportMember]

  init(dictionaryLiteral elements: (String, ImportValue)...) {
    members = elements.map { ImportMember($0.0, $0.1) }
  }

  /// The report as one value.
  var value: ImportValue { .object(members) }

  /// The report as one line of JSON.
  func json(isForTerminal: Bool) -> String {
    var writer = JSONWriter(isForTerminal: isForTerminal)
    CanonicalJSON.append(value, to: &writer)
    return writer.text
  }

  /// A named part; setting one that is there already replaces it.
  subscript(name: String) -> ImportValue? {
    get { members.first { $0.name == name }?.value }
    set {
      members.removeAll { $0.name == name }
      if let newValue { members.append(ImportMember(name, newValue)) }
    }
  }
}

extension ImportValue {
  /// A count; those above the largest integer of JSON readers do not occur.
  static func count(_ value: UInt64) -> ImportValue { .integer(Int64(clamping: value)) }

  /// A count.
  static func count(_ value: Int) -> ImportValue { .integer(Int64(value)) }

  /// A duration in seconds.
  static func seconds(_ duration: Duration) -> ImportValue { .real(duration / .seconds(1)) }

  /// Reports in a list.
  static func reports(_ reports: [Report]) -> ImportValue { .list(reports.map(\.value)) }
}
