extension Unmanaged {
  /// Lends the object to `body` without counting a reference to it, which somebody else keeps:
  /// counts that many threads change at once cost more than a look-up.
  @inline(__always)
  func lend<Result, Failure: Error>(
    _ body: (Instance) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = _withUnsafeGuaranteedRef { (instance) -> Swift.Result<Result, Failure> in
      do throws(Failure) { return .success(try body(instance)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
