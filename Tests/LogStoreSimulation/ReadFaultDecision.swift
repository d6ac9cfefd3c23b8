internal import StorageTestSupport

/// What reads get wrong, as numbers that mean something in every store: places are taken modulo
/// what is there, so that a shrunk script still has a fault.
package struct ReadFaultDecision: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    case flippedBit
    /// Bytes of another frame, or of another place, are read.
    case misdirected
    /// What lies there is what lay there at an earlier moment.
    case lostWrite
    /// The whole file is an earlier one.
    case olderFile
    case shortened
    case failsOnce
    case failsAlways
  }

  var kind: Kind
  var file: Int
  var place: Int
  var source: Int

  static func drawn(
    _ kind: Kind? = nil, using generator: inout SeededGenerator
  ) -> ReadFaultDecision {
    ReadFaultDecision(
      kind: kind ?? (Kind.allCases + [.misdirected, .misdirected])
        .randomElement(using: &generator) ?? .misdirected,
      file: Int.random(in: 0..<1000, using: &generator),
      place: Int.random(in: 0..<(1 << 24), using: &generator),
      source: Int.random(in: 0..<(1 << 24), using: &generator))
  }

  /// As scripts hold it.
  var line: String { "read \(kind.rawValue) \(file) \(place) \(source)" }
}

extension ReadFaultDecision {
  init?(words: ArraySlice<Substring>) {
    let words = Array(words)
    guard words.count == 4, let kind = Kind(rawValue: String(words[0])), let file = Int(words[1]),
      let place = Int(words[2]), let source = Int(words[3])
    else { return nil }
    self.init(kind: kind, file: file, place: place, source: source)
  }

  /// The fault in a store whose files are `files`; `earlier` gives the files of an earlier moment.
  func overlay(
    _ files: [String: [UInt8]], earlier: (Int) -> [String: [UInt8]]
  ) -> ReadOverlay? {
    let names = files.keys.sorted()
    guard !names.isEmpty else { return nil }
    let name = names[file % names.count]
    guard let bytes = files[name], !bytes.isEmpty else { return nil }
    let offset = place % bytes.count
    switch kind {
    case .flippedBit: return ReadOverlay(file: name, .flippedBit(offset: offset, bit: source % 8))
    case .shortened: return ReadOverlay(file: name, .shortened(byteCount: offset))
    case .failsOnce: return ReadOverlay(file: name, .failing(offset: offset, count: 1))
    case .failsAlways: return ReadOverlay(file: name, .failing(offset: offset, count: Int.max))
    case .olderFile:
      return earlier(source)[name].map { ReadOverlay(file: name, .wholeFile($0)) }
    case .lostWrite:
      let start = offset / 512 * 512
      let old = earlier(source)[name].map { Array($0.dropFirst(start).prefix(512)) } ?? []
      let missing = max(0, min(512, bytes.count - start) - old.count)
      return ReadOverlay(
        file: name, .replaced(offset: start, bytes: old + Array(repeating: 0, count: missing)))
    case .misdirected:
      return misdirected(name, bytes, others: names.compactMap { files[$0] })
    }
  }

  /// The body of one frame in the place of another of the same length; where there is none, or one
  /// time in four, any other bytes.
  private func misdirected(
    _ name: String, _ bytes: [UInt8], others: [[UInt8]]
  ) -> ReadOverlay? {
    if source % 4 > 0, let pair = misplaced(in: bytes, from: others) {
      return ReadOverlay(file: name, .replaced(offset: pair.offset, bytes: pair.body))
    }
    let other = others[source % others.count]
    guard !other.isEmpty else { return nil }
    let from = source / 7 % other.count
    let wrong = Array(other[from...].prefix(1 + source % 200))
    return ReadOverlay(file: name, .replaced(offset: place % bytes.count, bytes: wrong))
  }

  /// A body and another of its length to be read in its place; often one that is much like it, as
  /// another version of the same key is.
  private func misplaced(
    in bytes: [UInt8], from others: [[UInt8]]
  ) -> (offset: Int, body: [UInt8])? {
    let all = Dictionary(
      grouping: others.flatMap { other in Self.bodies(of: other).map { Array(other[$0]) } },
      by: \.count)
    var pairs: [(offset: Int, body: [UInt8], likeness: Int)] = []
    for target in Self.bodies(of: bytes) {
      for body in all[target.count, default: []] where !bytes[target].elementsEqual(body) {
        pairs.append((target.lowerBound, body, likeness(body, bytes[target]) * 100 / body.count))
      }
    }
    guard !pairs.isEmpty else { return nil }
    if source % 3 > 0 { pairs = pairs.sorted { $0.likeness > $1.likeness }.prefix(6).map(\.self) }
    let pair = pairs[place % pairs.count]
    return (pair.offset, pair.body)
  }

  private func likeness(_ left: [UInt8], _ right: ArraySlice<UInt8>) -> Int {
    zip(left, right).reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) }
  }

  /// Where the bodies of frames lie in a segment: behind its header each begins with its length and
  /// is padded to eight bytes.
  private static func bodies(of bytes: [UInt8]) -> [Range<Int>] {
    var bodies: [Range<Int>] = []
    var offset = 128
    while offset + 20 < bytes.count {
      let header = FrameBytes.header(marker: bytes[offset + 3])
      let length = (0..<header.lengthByteCount).reduce(0) {
        $0 | Int(bytes[offset + $1]) << (8 * $1)
      }
      guard length > header.byteCount, offset + length <= bytes.count else { break }
      bodies.append((offset + header.byteCount)..<(offset + length))
      offset += (length + 7) / 8 * 8
    }
    return bodies
  }
}
