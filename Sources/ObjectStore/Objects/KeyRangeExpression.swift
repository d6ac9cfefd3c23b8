/// A range of Swift that selects keys: `a..<b`, `a...b`, `a...`, `..<b` and `...b`.
///
/// It selects what it contains, of texts by their bytes: there are such ranges of keys that are
/// ``OrderedStorableValue``. For others, name the bounds as they are stored with a
/// ``KeySelection``.
public protocol KeyRangeExpression<Bound> {
  /// The type of the keys.
  associatedtype Bound: StorableKey & OrderedStorableValue
  /// The same for keys whose type is known at run time only.
  var keySelection: KeySelection { get }
}

extension Range: KeyRangeExpression where Bound: StorableKey & OrderedStorableValue {
  public var keySelection: KeySelection {
    KeySelection(
      from: .including(lowerBound.dynamicValue), to: .excluding(upperBound.dynamicValue))
  }
}

extension ClosedRange: KeyRangeExpression where Bound: StorableKey & OrderedStorableValue {
  public var keySelection: KeySelection {
    KeySelection(
      from: .including(lowerBound.dynamicValue), to: .including(upperBound.dynamicValue))
  }
}

extension PartialRangeFrom: KeyRangeExpression where Bound: StorableKey & OrderedStorableValue {
  public var keySelection: KeySelection {
    KeySelection(from: .including(lowerBound.dynamicValue))
  }
}

extension PartialRangeUpTo: KeyRangeExpression where Bound: StorableKey & OrderedStorableValue {
  public var keySelection: KeySelection {
    KeySelection(to: .excluding(upperBound.dynamicValue))
  }
}

extension PartialRangeThrough: KeyRangeExpression where Bound: StorableKey & OrderedStorableValue {
  public var keySelection: KeySelection {
    KeySelection(to: .including(upperBound.dynamicValue))
  }
}
