import Foundation

/// The work on typed objects, for one engine.
struct ObjectRun {
  let order: PhaseOrder

  private static let batchCount = 1000
  private static let readCount = 100_000

  func run() throws -> [Measurement] {
    let path = order.directory + "/objects"
    let files = FileManager.default
    if files.fileExists(atPath: path) { try files.removeItem(atPath: path) }
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: path) }
    let generator = PersonGenerator(seed: order.recordSeed, addedByteCount: 0)
    let people = (0..<order.objectCount).map(generator.person)
    var measurements: [Measurement] = []

    let engine = try order.engine.openObjects(at: path)
    measurements.append(
      try Measurement.rate("objects.fillbatch.sync", of: order.engine) {
        for start in stride(from: 0, to: people.count, by: Self.batchCount) {
          try engine.put(people[start..<min(start + Self.batchCount, people.count)])
        }
        return people.count
      })
    try engine.close()

    let reopened = try order.engine.openObjects(at: path)
    var random = SplitMix(seed: order.seed)
    let ids = (0..<Self.readCount * Measurement.readTryCount).map { _ in
      random.below(people.count)
    }
    try reopened.read { reader in
      try requireAll(try reader.scan { _ in })
      measurements.append(
        try Measurement.fastestRate("objects.readrandom", of: order.engine) { attempt in
          try readRandom(reader, ids[attempt * Self.readCount..<(attempt + 1) * Self.readCount])
        })
      measurements.append(
        try Measurement.fastestRate("objects.scanall", of: order.engine) { _ in
          try scanAll(reader)
        })
      for id in ids.prefix(PhaseRun.checkedRecordCount) {
        guard try reader.person(id) == people[id] else {
          throw BenchmarkError("\(order.engine.rawValue): object \(id) is not what was written")
        }
      }
    }
    try reopened.close()
    return measurements
  }

  private func readRandom(_ reader: any ObjectReader, _ ids: ArraySlice<Int>) throws -> Int {
    var sum = 0
    for id in ids {
      guard let person = try reader.person(id) else {
        throw BenchmarkError("\(order.engine.rawValue): object \(id) is missing")
      }
      sum &+= person.balance
    }
    return ids.count + (sum == .max ? 1 : 0)
  }

  private func scanAll(_ reader: any ObjectReader) throws -> Int {
    var sum = 0
    let count = try reader.scan { sum &+= $0.balance &+ $0.note.utf8.count }
    try requireAll(count)
    return count + (sum == .max ? 1 : 0)
  }

  private func requireAll(_ count: Int) throws {
    guard count == order.objectCount else {
      throw BenchmarkError(
        "\(order.engine.rawValue): \(count) of \(order.objectCount) objects were found")
    }
  }
}
