internal import FileIO

/// The records of a rewrite on their way to its outputs: other threads transform and compress
/// them, a portion each, and the rewrite writes them in their order. Used by the rewrite's thread.
///
/// What is written depends neither on the number of threads nor on how fast they are. Without any,
/// each record is compressed as soon as it is there. Only what the outputs have so far comes later
/// with threads: that an upgrade makes records grow so much that fewer segments are to be rewritten
/// together is known later.
final class RewriteQueue {
  /// A thread that transforms and compresses, with what it needs for that.
  private final class Lane: @unchecked Sendable {
    // Sendable: the compressor is used by the worker alone, transformers are sendable.
    let worker = SerialWorker()
    let compressor: RecordCompressor
    let transformer: (any RecordTransformer)?

    init(_ compressor: RecordCompressor, _ transformer: (any RecordTransformer)?) {
      self.compressor = compressor
      self.transformer = transformer
    }
  }

  /// What records are added to.
  @exclusivity(unchecked) private(set) var filling = RewritePortion()
  /// All segments that records come from.
  private var inputs: [Segment]
  @exclusivity(unchecked) private var underway: [RewritePortion] = []
  private var spare: [RewritePortion] = []
  private let lanes: [Lane]
  private var nextLane = 0
  /// For what this thread compresses itself.
  private let compressor: RecordCompressor
  private let transformer: (any RecordTransformer)?
  private let seed: UInt64

  /// So much that handing it over costs nothing beside compressing it, where outputs are not small.
  private static let portionByteCountMaximum = 64 << 10
  private let portionByteCount: Int
  private static let portionCountPerLane = 4
  /// How many times larger the last portion became by being transformed; supposed before any came
  /// back. So that they are small when they come back, too.
  private var growth = RewriteQueue.supposedGrowth
  private static let supposedGrowth = 4.0

  /// What is on the way is to be little beside an output, of `outputByteCountMaximum`.
  init(
    of inputs: [Segment], threadCount: Int, transformer: (any RecordTransformer)?, seed: UInt64,
    outputByteCountMaximum: UInt64, makeCompressor: () -> RecordCompressor
  ) {
    portionByteCount = min(Self.portionByteCountMaximum, Int(clamping: outputByteCountMaximum / 64))
    lanes = (0..<threadCount).map { _ in
      Lane(makeCompressor(), transformer?.forAnotherThread())
    }
    compressor = makeCompressor()
    self.inputs = inputs
    self.transformer = transformer
    self.seed = seed
  }

  deinit {
    for portion in underway.reversed() { portion.giveUp() }
    for portion in underway { portion.waitUntilCompressed() }
  }

  /// Records of another version are transformed from now on: they may grow otherwise.
  func forgetGrowth() { growth = max(growth, Self.supposedGrowth) }

  /// Whether nothing is on its way.
  var isEmpty: Bool { filling.isEmpty && underway.isEmpty }

  /// Whether what was added is to be sent on.
  var isFull: Bool {
    lanes.isEmpty
      ? !filling.isEmpty : Double(filling.byteCount) * growth >= Double(portionByteCount)
  }

  /// Sends on what was added; when it is `last`, or a thread is not to be had, this one compresses.
  func send(isLast: Bool = false) {
    guard !filling.isEmpty else { return }
    let portion = filling
    filling = spare.popLast() ?? RewritePortion()
    portion.close(keeping: inputs)
    underway.append(portion)
    if !isLast, !lanes.isEmpty {
      let lane = lanes[nextLane]
      nextLane = (nextLane + 1) % lanes.count
      let seed = seed
      let isSubmitted = lane.worker.submit {
        portion.compress(with: lane.compressor, lane.transformer, seed: seed)
      }
      if isSubmitted { return }
    }
    portion.compress(with: compressor, transformer, seed: seed)
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
      let mine = underway.first { $0.compress(with: compressor, transformer, seed: seed) }
      if mine == nil { break }
    }
    underway.removeFirst()
    first.waitUntilCompressed()
    growth = max(1, first.growth)
    return first
  }

  /// Nothing more is added: lets the inputs go, which may be removed then.
  func letGo() { inputs = [] }

  /// Takes back a portion that was written.
  func giveBack(_ portion: RewritePortion) { spare.append(portion) }
}
