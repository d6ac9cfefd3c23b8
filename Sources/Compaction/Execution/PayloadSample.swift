internal import LogStore

/// A random sample of payloads that takes a bounded number of bytes, however many are offered.
///
/// Each payload draws a number, and those with the smallest are kept as far as they fit: every
/// payload is as likely to stay as any other of its size (after "bottom-k" sampling, Cohen and
/// Kaplan, 2007).
struct PayloadSample {
  private struct Kept {
    let draw: UInt64
    let order: Int
    let payload: [UInt8]
  }

  private let byteCountMaximum: Int
  private var random: UInt64
  /// Ascending by draw, once there were more than fit.
  private var kept: [Kept] = []
  private var isSorted = false
  private var offeredCount = 0
  /// Bytes of the payloads that are kept.
  private(set) var byteCount = 0

  /// How many payloads a dictionary is made from, about, and how many bytes at most.
  static let recordCount = 4096
  static let totalByteCountMaximum = 1 << 20

  /// Longer payloads say little about others, and are cut off here.
  static let payloadByteCountMaximum = 16 << 10

  /// At most `byteCountMaximum` bytes; the same `seed` and payloads give the same sample.
  init(byteCountMaximum: Int, seed: UInt64) {
    self.byteCountMaximum = byteCountMaximum
    random = seed
  }

  /// The sample, in the order in which its payloads were offered.
  var payloads: [[UInt8]] { kept.sorted { $0.order < $1.order }.map(\.payload) }

  mutating func offer(_ payload: [UInt8]) {
    let draw = nextDraw()
    offeredCount += 1
    let size = min(payload.count, Self.payloadByteCountMaximum)
    let isFull = byteCount + size > byteCountMaximum
    if isFull, !isSorted {
      kept.sort { $0.draw < $1.draw }
      isSorted = true
    }
    if isFull, let last = kept.last, draw > last.draw { return }
    let place = isSorted ? kept.firstIndex { $0.draw > draw } ?? kept.count : kept.count
    let payload = payload.count == size ? payload : [UInt8](payload.prefix(size))
    kept.insert(Kept(draw: draw, order: offeredCount, payload: payload), at: place)
    byteCount += size
    while byteCount > byteCountMaximum { byteCount -= kept.removeLast().payload.count }
  }

  /// SplitMix64 (Steele, Lea and Flood, 2014).
  private mutating func nextDraw() -> UInt64 {
    random &+= 0x9E37_79B9_7F4A_7C15
    var mixed = random
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
