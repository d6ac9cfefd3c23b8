/// New values for every case of an enumeration:
/// `MapCases("state", of: ["open", "done"], ["open": "active", "done": "closed"])`.
///
/// The mapping must be total, which is checked before any record is read; a record that has another
/// value than those in `of` fails to upgrade and stays as it is. Where the history declares the
/// cases of the member, `of` must have them all, and no others. Elements of lists and dictionaries
/// are mapped one by one.
public struct MapCases: OperationDeclaration {
  public let operation: RecordOperation

  /// Replaces every value of `member`, which are `cases`, as `mapping` says.
  public init(_ member: String, of cases: [Value], _ mapping: KeyValuePairs<Value, Value>) {
    operation = .mapCases(
      member: member, mapping.map { CaseMapping(from: $0.key, to: $0.value) }, all: cases)
  }
}
