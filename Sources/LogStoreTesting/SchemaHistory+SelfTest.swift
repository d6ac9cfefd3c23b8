public import ObjectStore

extension SchemaHistory {
  /// Upgrades made-up records between all versions, and lists what is not as it must be.
  ///
  /// The fused plan must give what one version after the other gives; going by versions in between
  /// must give the same; every closure must give the same twice. Steps that throw for a made-up
  /// record are no failure, as long as both ways throw, and not for all records of a version: that
  /// would prove nothing. Where conditions drop all of them, the other steps run on them as if they
  /// were kept. Numbers and dates are negative, infinite and none at all (NaN), too: code that
  /// traps for those ends the test, as it would end the app. What lies behind a barrier is not
  /// tried from before it. Costs `samplesPerType` records for every type and pair of versions; the
  /// first hundred failures are listed.
  /// - Parameter samplesPerType: at least 1; fewer are a mistake that ends the process.
  public func selfTest(samplesPerType: Int = 200, seed: UInt64 = 1) throws -> [SelfTestFailure] {
    guard samplesPerType > 0 else {
      fatalError("samplesPerType must be at least 1: a self-test without a record proves nothing")
    }
    try validate()
    var run = SelfTestRun(history: self, samplesPerType: samplesPerType, seed: seed)
    return try run.failures()
  }
}
