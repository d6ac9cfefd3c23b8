/// A range of Swift that selects values of a member: `18...`, `"a"..<"b"`, `start...end`.
///
/// It selects what it contains, of texts by their bytes. There are such ranges of each
/// ``OrderedStorableValue``.
public protocol ValueRangeExpression<Bound> {
  /// The type of the member's values.
  associatedtype Bound: OrderedStorableValue
  /// The same for members whose type is known at run time only.
  var memberSelection: MemberSelection { get }
}

extension Range: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .between(.including(lowerBound.dynamicValue), .excluding(upperBound.dynamicValue))
  }
}

extension ClosedRange: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .between(.including(lowerBound.dynamicValue), .including(upperBound.dynamicValue))
  }
}

extension PartialRangeFrom: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .between(
      .including(lowerBound.dynamicValue), Bound.rangeMaximum.map { .including($0) } ?? .unbounded)
  }
}

extension PartialRangeUpTo: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .between(.unbounded, .excluding(upperBound.dynamicValue))
  }
}

extension PartialRangeThrough: ValueRangeExpression where Bound: OrderedStorableValue {
  public var memberSelection: MemberSelection {
    .between(.unbounded, .including(upperBound.dynamicValue))
  }
}
