import Benchmark

/// What `swift package benchmark` runs: the parts that every operation of a store is made of.
let benchmarks: @Sendable () -> Void = {
  RecordBenchmarks.define()
  DictionaryBenchmarks.define()
  IndexBenchmarks.define()
  PlanBenchmarks.define()
  ObjectBenchmarks.define()
  QueryBenchmarks.define()
}
