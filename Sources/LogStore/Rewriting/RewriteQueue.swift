internal import FileIO

/// The records of a rewrite on their way to its outputs: other threads compress them, a portion
/// each, and the rewrite writes them in their order. Used by the rewrite's thread.
///
/// What is written depends neither on the number of threads nor on how fast they are. Without any,
/// each record is compressed as soon as it is there.
final class RewriteQueue {
  /// A thread that compresses, with what it needs for that.
  private final class Lane: @unchecked Sendable {
    // Sendable: the compressor is used by the worker alone.
    let worker = SerialWorker()
    let compressor: RecordCompressor

    init(_ compression: LogConfiguration.Compression) {
      compressor = RecordCompressor(compression)
    }
  }

  /// What records are added to.
  private(set) var filling = RewritePortion()
  private var underway: [RewritePortion] = []
  private var spare: [RewritePortion] = []
  private let lanes: [Lane]
  private var nextLane = 0
  /// For what this thread compresses itself.
  private let compressor: RecordCompressor
  private let seed: UInt64

  /// So much that handing it over costs nothing beside compressing it, where outputs are not small.
  private static let portionByteCountMaximum = 64 << 10
  private let portionByteCount: Int
  private static let portionCountPerLane = 4

  /// What is on the way is to be little beside an output, of `outputByteCountMaximum`.
  init(
    threadCount: Int, compression: LogConfiguration.Compression, seed: UInt64,
    outputByteCountMaximum: UInt64
  ) {
    portionByteCount = min(Self.portionByteCountMaximum, Int(clamping: outputByteCountMaximum / 64))
    lanes = (0..<threadCount).map { _ in Lane(compression) }
    compressor = RecordCompressor(compression)
    self.seed = seed
  }

  deinit { while next(afterAll: true) != nil {} }

  /// Whether what was added is to be sent on.
  var isFull: Bool {
    lanes.isEmpty ? !filling.isEmpty : filling.byteCount >= portionByteCount
  }

  /// Sends on what was added; when it is `last`, or a thread is not to be had, this one compresses.
  func send(isLast: Bool = false) {
    guard !filling.isEmpty else { return }
    let portion = filling
    filling = spare.popLast() ?? RewritePortion()
    portion.close()
    underway.append(portion)
    let seed = seed
    if !isLast, !lanes.isEmpty {
      let lane = lanes[nextLane]
      nextLane = (nextLane + 1) % lanes.count
      if lane.worker.submit({ portion.compress(with: lane.compressor, seed: seed) }) { return }
    }
    portion.compress(with: compressor, seed: seed)
  }

  /// The next portion to be written, once it is compressed: when as many are on the way as may be,
  /// or any with `afterAll`.
  func next(afterAll: Bool) -> RewritePortion? {
    guard let first = underway.first else { return nil }
    let isLarge = underway.contains { $0.byteCount > RewritePortion.largeByteCount }
    guard afterAll || isLarge || underway.count > lanes.count * Self.portionCountPerLane else {
      return nil
    }
    while !first.isCompressed {
      // Who would wait compresses what no other thread has begun.
      let seed = seed
      if !underway.contains(where: { $0.compress(with: compressor, seed: seed) }) { break }
    }
    underway.removeFirst()
    first.waitUntilCompressed()
    return first
  }

  /// Takes back a portion that was written.
  func giveBack(_ portion: RewritePortion) { spare.append(portion) }
}
