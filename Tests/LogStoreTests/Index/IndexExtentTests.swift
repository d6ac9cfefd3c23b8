import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Where the keys of indexes lie, as merging sees them.
@Suite struct IndexExtentTests {
  /// How the keys of segments lie to each other.
  enum Order: CaseIterable {
    /// Each segment's numbers above those of the one before.
    case ascending
    /// All segments' numbers between each other.
    case interleaved
    /// Ascending texts that begin with the same eight bytes.
    case ascendingTexts

    func key(_ number: Int, of segment: Int) -> [UInt8] {
      switch self {
      case .ascending: bytes(segment * 10 + number)
      case .interleaved: bytes(number * 100 + segment)
      case .ascendingTexts: [UInt8]("customer-".utf8) + bytes(segment * 10 + number)
      }
    }

    private func bytes(_ number: Int) -> [UInt8] {
      withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8]($0) }
    }
  }

  private static func log(
    _ maintenance: LogConfiguration.Maintenance, _ fileSystem: any FileSystem
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.maintenance = maintenance
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  private static func addSegment(_ segment: Int, _ order: Order, _ log: Log) throws {
    let batch = log.makeBatch()
    for number in 0..<10 {
      try batch.put(
        order.key(number, of: segment), in: TestLog.people, schemaVersion: 1, payload: [1, 2, 3])
    }
    try log.commit(batch, durability: .process)
    try log.sealActiveSegment()
  }

  @Test("Indexes lie side by side as far as look-ups can tell", arguments: Order.allCases)
  func extentsAreWhatLookUpsSee(order: Order) throws {
    let log = try Self.log(.none, InMemoryFileSystem())
    for segment in 0..<4 { try Self.addSegment(segment, order, log) }
    // A look-up of what is not there opens all of them.
    _ = try log.snapshot().record(for: [0xFF], in: TestLog.people)
    let extents = IndexExtent.extents(of: SealedIndex(log.pipeline.sealed).sources)
    #expect(extents.allSatisfy { $0.keyCount == 10 && $0.span != nil })
    #expect(IndexExtent.depth(of: extents) == (order == .ascending ? 1 : 4))
  }

  @Test("Segments in the order of numbers are merged by sixteen, others by four")
  func mergesFollow() throws {
    for order in Order.allCases {
      let log = try Self.log(.inline, InMemoryFileSystem())
      var firstMerge = 0
      for segment in 0..<20 where firstMerge == 0 {
        try Self.addSegment(segment, order, log)
        if !log.pipeline.runs.isEmpty { firstMerge = segment + 1 }
      }
      #expect(firstMerge == (order == .ascending ? 16 : 4), "\(order)")
    }
  }
}
