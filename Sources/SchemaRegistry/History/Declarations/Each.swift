/// Operations on every object in a list or dictionary: `Each("lines") { Add("tax", .double, …) }`.
///
/// Stands inside ``On``; a single embedded object is changed by an `On` there. The objects may lie
/// in lists and dictionaries of any depth, as in `[String: [Line]]`.
public struct Each: OperationDeclaration {
  public let operation: RecordOperation

  /// Changes every object that `member` holds, by operations in the order they are written.
  public init(_ member: String, @OperationBuilder operations: () -> [RecordOperation]) {
    operation = .embedded(member: member, each: true, operations: operations())
  }
}
