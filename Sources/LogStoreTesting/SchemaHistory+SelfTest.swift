public import ObjectStore

extension SchemaHistory {
  /// Upgrades made-up records between all versions, and lists what is not as it must be.
  ///
  /// The fused plan must give what one version after the other gives; going by versions in between
  /// must give the same; every closure must give the same twice. Steps that throw for a made-up
  /// record are no failure, as long as both ways throw, and not for all records of a version: that
  /// would prove nothing. Numbers are negative, infinite and none at all (NaN), too: code that
  /// traps for those ends the test, as it would end the app. What lies behind a barrier is not
  /// tried from before it. Costs `samplesPerType` records for every type and pair of versions; the
  /// first hundred failures are listed.
  public func selfTest(samplesPerType: Int = 200, seed: UInt64 = 1) throws -> [SelfTestFailure] {
    try validate()
    var run = SelfTestRun(history: self, samplesPerType: samplesPerType, seed: seed)
    return try run.failures()
  }
}
