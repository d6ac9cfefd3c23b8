internal import FileIO
package import LogStore
internal import StorageTestSupport

/// A bug that is planted to see whether the simulator finds it.
package enum Defect: Sendable, Hashable, CustomStringConvertible {
  /// Calls of the file system that are left out or done wrong.
  case omission(Omission)
  /// A line of the engine that is wrong; only debug builds have these.
  case engine(PlantedBug)

  /// All that this build can plant.
  package static var all: [Defect] {
    let omissions = Omission.allCases.map(Defect.omission)
    #if PLANTED_BUGS
      return omissions + PlantedBug.allCases.map(Defect.engine)
    #else
      return omissions
    #endif
  }

  package init?(name: String) {
    guard let defect = Self.all.first(where: { $0.description == name }) else { return nil }
    self = defect
  }

  package var description: String {
    switch self {
    case .omission(let omission): omission.rawValue
    case .engine(let bug): bug.rawValue
    }
  }

  /// The file system as a store with this bug uses it.
  func wrap(_ fileSystem: SimulatedFileSystem) -> any FileSystem {
    switch self {
    case .omission(let omission): CarelessFileSystem(fileSystem, omission)
    case .engine: fileSystem
    }
  }

  /// Runs `body` with the bug in the engine, where it is one of the engine's.
  static func planting<Value, Failure: Error>(
    _ defect: Defect?, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    #if PLANTED_BUGS
      guard case .engine(let bug)? = defect else { return try body() }
      let result = PlantedBug.$current.withValue(bug) { () -> Result<Value, Failure> in
        do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
      }
      return try result.get()
    #else
      return try body()
    #endif
  }
}
