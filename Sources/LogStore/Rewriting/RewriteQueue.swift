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
    // Sendable: what changes is used by the worker alone.
    private let worker = SerialWorker()
    private let makeTools: @Sendable () -> RewriteTools
    private var tools: RewriteTools?

    init(_ makeTools: @escaping @Sendable () -> RewriteTools) { self.makeTools = makeTools }

    /// Has the thread compress a portion, unless another one does before; false when there is none.
    func compress(_ portion: RewritePortion, seed: UInt64) -> Bool {
      worker.submit { [self] in portion.compress(with: preparedTools(), seed: seed) }
    }

    /// Made by the thread that uses them, so that they do not lie among what others change.
    private func preparedTools() -> RewriteTools {
      if let tools { return tools }
      let made = makeTools()
      tools = made
      return made
    }
  }

  /// What records are added to.
  @exclusivity(unchecked) private(set) var filling: RewritePortion
  /// All segments that records come from.
  private var inputs: [Segment]
  @exclusivity(unchecked) private var underway: [RewritePortion] = []
  private var spare: [RewritePortion] = []
  private let lanes: [Lane]
  private var nextLane = 0
  /// For what this thread compresses itself.
  private let tools: RewriteTools
  private let seed: UInt64

  /// So much that handing it over costs nothing beside compressing it, where outputs are not small.
  private static let portionByteCountMaximum = 64 << 10
  private let portionByteCount: Int
  private static let portionCountPerLane = 4
  /// How many times larger the last portion became by being transformed; supposed before any came
  /// back. So that they are small when they come back, too.
  private var growth = RewriteQueue.supposedGrowth {
    didSet { filling.byteCountMaximum = fullByteCount }
  }
  private static let supposedGrowth = 4.0

  /// What is on the way is to be little beside an output, of `outputByteCountMaximum`.
  init(
    of inputs: [Segment], threadCount: Int, transformer: (any RecordTransformer)?, seed: UInt64,
    outputByteCountMaximum: UInt64, makeCompressor: @escaping @Sendable () -> RecordCompressor
  ) {
    portionByteCount = min(Self.portionByteCountMaximum, Int(clamping: outputByteCountMaximum / 64))
    lanes = (0..<threadCount).map { _ in
      Lane {
        RewriteTools(compressor: makeCompressor(), transformer: transformer?.forAnotherThread())
      }
    }
    tools = RewriteTools(compressor: makeCompressor(), transformer: transformer)
    self.inputs = inputs
    self.seed = seed
    filling = RewritePortion()
    filling.byteCountMaximum = fullByteCount
  }

  deinit {
    for portion in underway.reversed() { portion.giveUp() }
    for portion in underway { portion.waitUntilCompressed() }
  }

  /// Records of another version are transformed from now on: they may grow otherwise.
  func forgetGrowth() { growth = max(growth, Self.supposedGrowth) }

  /// Whether there are threads beside the rewrite's.
  var usesThreads: Bool { !lanes.isEmpty }

  /// Whether nothing is on its way.
  var isEmpty: Bool { filling.isEmpty && underway.isEmpty }

  /// How much is sent on together; without other threads, each record.
  private var fullByteCount: Int { lanes.isEmpty ? 1 : Int(Double(portionByteCount) / growth) }

  /// Sends on what was added; when it is `last`, or a thread is not to be had, this one compresses.
  func send(isLast: Bool = false) {
    guard !filling.isEmpty else { return }
    let portion = filling
    filling = spare.popLast() ?? RewritePortion()
    filling.byteCountMaximum = fullByteCount
    portion.close(keeping: inputs)
    underway.append(portion)
    if !isLast, !lanes.isEmpty {
      let lane = lanes[nextLane]
      nextLane = (nextLane + 1) % lanes.count
      if lane.compress(portion, seed: seed) { return }
    }
    portion.compress(with: tools, seed: seed)
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
      let mine = underway.first { $0.compress(with: tools, seed: seed) }
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
