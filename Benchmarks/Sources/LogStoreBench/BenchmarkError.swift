/// What ends a run: an engine that fails, or a record that is not what was written.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
