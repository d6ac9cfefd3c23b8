import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Walks over every range, both ways, compared with a sorted array.
@Suite struct RangeWalkTests {
  /// What one layer of a store does to one key.
  enum Change: CaseIterable {
    case nothing, put, delete
  }

  static let neighbour = CollectionIdentifier(2)

  /// A store with one sealed segment for each layer but the last, which stays active. Collections
  /// on both sides hold the same keys, so that a walk that goes too far shows.
  static func makeStore(
    _ layers: [[[UInt8]: Change]], _ model: inout WalkModel
  ) throws -> Log {
    let fileSystem = InMemoryFileSystem()
    var log = try TestLog.open(fileSystem, durability: .process)
    for (number, layer) in layers.enumerated() {
      if number > 0 {
        try log.close()
        log = try TestLog.open(fileSystem, durability: .process)
      }
      let batch = log.makeBatch()
      for (key, change) in layer {
        try batch.put(key, in: neighbour, schemaVersion: 0, payload: [9])
        try batch.put(key, in: .catalog, schemaVersion: 0, payload: [9])
        try apply(change, to: key, number, &model) { payload in
          if let payload {
            try batch.put(key, in: TestLog.people, schemaVersion: 0, payload: payload)
          } else {
            try batch.delete(key, in: TestLog.people)
          }
        }
      }
      try log.commit(batch)
    }
    return log
  }

  static func apply(
    _ change: Change, to key: [UInt8], _ layer: Int, _ model: inout WalkModel,
    _ body: ([UInt8]?) throws -> Void
  ) throws {
    switch change {
    case .nothing: break
    case .put:
      let payload = [UInt8](repeating: UInt8(layer), count: 1 + 20 * layer) + key
      model.payloads[key] = payload
      try body(payload)
    case .delete:
      model.payloads[key] = nil
      try body(nil)
    }
  }

  /// The walks over `ranges`, up and down, that differ from the model.
  static func differences(
    _ model: WalkModel, _ ranges: [KeyRange], _ walk: (KeyRange, KeyOrder) throws -> RecordCursor
  ) throws -> [String] {
    var wrong: [String] = []
    for range in ranges {
      for order in KeyOrder.allCases {
        let found = try WalkModel.rest(of: try walk(range, order))
        if found != model.records(range, order) { wrong.append("\(range) \(order): \(found)") }
      }
    }
    return wrong
  }

  static func differences(
    _ log: Log, _ model: WalkModel, _ ranges: [KeyRange]
  ) throws -> [String] {
    let snapshot = log.snapshot()
    return try differences(model, ranges) {
      try snapshot.records(in: TestLog.people, keys: $0, order: $1)
    }
  }

  /// The same in a transaction that changes what `overlay` says.
  static func differences(
    _ log: Log, _ model: WalkModel, overlay: [[UInt8]: Change], _ ranges: [KeyRange]
  ) throws -> [String] {
    struct Undone: Error {}
    var wrong: [String] = []
    do {
      try log.transact { transaction in
        var model = model
        for (key, change) in overlay {
          try apply(change, to: key, 5, &model) { payload in
            if let payload {
              try transaction.put(key, in: TestLog.people, schemaVersion: 0, payload: payload)
            } else {
              try transaction.delete(key, in: TestLog.people)
            }
          }
        }
        wrong = try differences(model, ranges) {
          try transaction.records(in: TestLog.people, keys: $0, order: $1)
        }
        throw Undone()
      }
    } catch is Undone {}
    return wrong
  }

  @Test("Every range of every small store, up and down: two keys, three layers", arguments: 0..<9)
  func everySmallStore(first: Int) throws {
    let keys: [[UInt8]] = [[7], [7, 0]]
    let ranges = WalkModel.ranges(between: keys)
    let changes = Change.allCases
    func layer(_ number: Int) -> [[UInt8]: Change] {
      [keys[0]: changes[number % 3], keys[1]: changes[number / 3]]
    }
    var wrong: [String] = []
    for second in 0..<9 {
      var model = WalkModel()
      let log = try Self.makeStore([layer(first), layer(second)], &model)
      wrong += try Self.differences(log, model, ranges)
      for third in 1..<9 {
        wrong += try Self.differences(log, model, overlay: layer(third), ranges)
          .map { "\(second) \(third): \($0)" }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.first ?? "") and \(wrong.count) in all")
  }

  @Test("Every range of random stores of several segments", arguments: [UInt64(1), 2, 3, 4, 5, 6])
  func randomStores(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let keys: [[UInt8]] = [
      [0], [1], [1, 0], [1, 255], [2, 2, 2, 2, 2, 2, 2, 2, 2], [255], [255, 255],
    ]
    let ranges = WalkModel.ranges(between: keys)
    func layer() -> [[UInt8]: Change] {
      Dictionary(
        uniqueKeysWithValues: keys.map {
          ($0, Change.allCases.randomElement(using: &generator) ?? .put)
        })
    }
    var model = WalkModel()
    let layers = (0..<5).map { _ in layer() }
    let log = try Self.makeStore(layers, &model)
    let wrong =
      try Self.differences(log, model, ranges)
      + Self.differences(log, model, overlay: layer(), ranges)
    #expect(wrong.isEmpty, "seed \(seed): \(wrong.first ?? "") and \(wrong.count) in all")
  }

  @Test(
    "Random ranges and seeks over many pages, up and down",
    arguments: [LogConfiguration.ReadMode.mapped, .buffered], [UInt64(11), 12])
  func manyPages(readMode: LogConfiguration.ReadMode, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let fileSystem = InMemoryFileSystem()
    var configuration = TestLog.configuration
    configuration.readMode = readMode
    configuration.durability = .process
    configuration.segmentByteCountMinimum = 40 << 10
    configuration.segmentByteCountMaximum = 40 << 10
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    func number() -> Int { Int.random(in: 0..<6000, using: &generator) }
    var model = WalkModel()
    for _ in 0..<60 {
      let batch = log.makeBatch()
      for _ in 0..<100 {
        let key = TestLog.key(number())
        if Int.random(in: 0..<5, using: &generator) == 0 {
          try batch.delete(key, in: TestLog.people)
          model.payloads[key] = nil
        } else {
          let payload = TestLog.payload(number())
          try batch.put(key, in: TestLog.people, schemaVersion: 0, payload: payload)
          model.payloads[key] = payload
        }
      }
      try log.commit(batch)
    }
    let snapshot = log.snapshot()
    #expect(try snapshot.view().sealed.count > 3, "seed \(seed)")
    var wrong = 0
    for _ in 0..<8 {
      let bounds = [TestLog.key(number()), TestLog.key(number())].sorted {
        $0.lexicographicallyPrecedes($1)
      }
      let range = KeyRange(from: .including(bounds[0]), to: .excluding(bounds[1]))
      for order in KeyOrder.allCases {
        let cursor = try snapshot.records(in: TestLog.people, keys: range, order: order)
        if try WalkModel.rest(of: cursor) != model.records(range, order) { wrong += 1 }
        for _ in 0..<4 {
          let target = TestLog.key(number())
          try cursor.seek(to: target)
          let expected = model.records(range, order, seeking: target).prefix(150)
          let found = try expected.map { _ in try cursor.next()?.key }
          if found != expected.map(\.key) { wrong += 1 }
        }
      }
    }
    #expect(wrong == 0, "seed \(seed)")
  }

  @Test("A seek goes to the key or the next one in the walk's order, and never out of the range")
  func everySeek() throws {
    let keys: [[UInt8]] = [[0], [1], [1, 0], [3], [5, 5], [255]]
    var model = WalkModel()
    let log = try Self.makeStore(
      [
        [keys[0]: .put, keys[1]: .put, keys[3]: .put],
        [keys[2]: .put, keys[1]: .delete, keys[4]: .put, keys[5]: .put],
      ], &model)
    let targets = keys + [[], [0, 0], [2], [4], [5], [5, 5, 0], [255, 0]]
    var wrong: [String] = []
    for range in WalkModel.ranges(between: [[1], [4], [5, 5]]) {
      for order in KeyOrder.allCases {
        let cursor = try log.snapshot().records(in: TestLog.people, keys: range, order: order)
        for target in targets + targets.reversed() {
          try cursor.seek(to: target)
          let found = try WalkModel.rest(of: cursor)
          if found != model.records(range, order, seeking: target) {
            wrong.append("\(range) \(order) to \(target): \(found)")
          }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.first ?? "") and \(wrong.count) in all")
  }
}
