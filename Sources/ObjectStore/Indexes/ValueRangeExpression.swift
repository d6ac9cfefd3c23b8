/// A range of Swift that selects values of a member: `18...`, `"a"..<"b"`, `start...end`.
///
/// It selects what it contains, of texts by their bytes. There are such ranges of each
/// ``OrderedStorableValue``. Members of models that are unsigned integers of 64 bits have none:
/// they are not stored in the order of numbers.
public protocol ValueRangeExpression<Bound> {
  /// The type of the member's values.
  associatedtype Bound: OrderedStorableValue
  /// The same for members whose type is known at run time only.
  var memberSelection: MemberSelection { get }
}

extension Range: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .range(from: .including(lowerBound.dynamicValue), to: .excluding(upperBound.dynamicValue))
  }
}

extension ClosedRange: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .range(from: .including(lowerBound.dynamicValue), to: .including(upperBound.dynamicValue))
  }
}

extension PartialRangeFrom: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .range(
      from: .including(lowerBound.dynamicValue),
      to: Bound.rangeMaximum.map { .including($0) } ?? .unbounded)
  }
}

extension PartialRangeUpTo: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .range(from: .unbounded, to: .excluding(upperBound.dynamicValue))
  }
}

extension PartialRangeThrough: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .range(from: .unbounded, to: .including(upperBound.dynamicValue))
  }
}
