import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// Segments whose checksums and chains are right and whose contents are not.
@Suite struct HostileSegmentTests {
  /// Walks the frames of a segment from its header on, changes them and makes everything verify
  /// again; `change` gets each frame's header and body.
  static func rewrite(
    _ file: inout [UInt8], end: Int, store: StoreIdentifier,
    _ change: (inout FrameHeader, inout [UInt8]) -> Void
  ) throws {
    let header = try file.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      try SegmentHeader.decode(bytes, file: "segment")
    }
    var hash = file[..<SegmentHeader.byteCount].withUnsafeBytes {
      FrameHeader.chainHash(ofSegment: $0, salt: header.salt)
    }
    var offset = SegmentHeader.byteCount
    while offset < end {
      let head = file[offset...].withUnsafeBytes {
        FrameHeader(decoding: $0, salt: header.salt, offset: UInt64(offset))
      }
      guard var head else { return }
      let next = offset + Int(head.paddedLength)
      let start = offset + head.form.byteCount
      var body = [UInt8](file[start..<(start + head.bodyByteCount)])
      let before = head
      if !head.flags.contains(.footer) {
        change(&head, &body)
        if head.form == .short {
          // The records' checksums are the body's: without them nothing behind the header is read.
          head.firstSequence = CommitSequence(head.firstSequence.rawValue & (1 << 44 - 1))
          head.recordCount &= 255
          if head != before, head.firstSequence.rawValue > 0 {
            head.durableSequence = min(
              head.durableSequence, CommitSequence(head.firstSequence.rawValue - 1))
          }
          sign(&body, head, store)
        } else if head == before {
          sign(&body, head, store)
        }
      }
      head.previousHash = hash
      head.bodyChecksum = body.withUnsafeBytes { Checksum.xxh64($0, seed: header.salt) }
      file.replaceSubrange(start..<(start + body.count), with: body)
      file.withUnsafeMutableBytes {
        if let base = $0.baseAddress {
          Self.encode(head, to: base + offset, salt: header.salt, offset: UInt64(offset))
        }
      }
      hash = file[offset..<start].withUnsafeBytes { bytes in
        body.withUnsafeBytes { head.chainHash(bytes, $0, salt: header.salt) }
      }
      offset = next
    }
  }

  /// Writes a header whose fields may be anything; in the short form they lose their high bits.
  private static func encode(
    _ head: FrameHeader, to target: UnsafeMutableRawPointer, salt: UInt64, offset: UInt64
  ) {
    guard head.form == .short else {
      return head.encode(to: target, salt: salt, offset: offset)
    }
    let first = head.firstSequence.rawValue
    let distance = first &- 1 &- head.durableSequence.rawValue
    var bytes = ByteWriter()
    bytes.writeInteger(UInt16(truncatingIfNeeded: head.length))
    bytes.writeByte(UInt8(truncatingIfNeeded: head.recordCount))
    bytes.writeByte(0x80)
    bytes.writeZeros(4)
    bytes.writeInteger(first | distance << 44)
    bytes.writeInteger(UInt32(truncatingIfNeeded: head.previousHash))
    UnsafeMutableRawBufferPointer(start: target, count: bytes.count).copyBytes(from: bytes.bytes)
    let checksum = FrameHeader.checksum(
      UnsafeRawPointer(target), .short, salt: salt, offset: offset)
    target.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
  }

  /// Makes the checksums of a frame's records right as far as the records can be read.
  private static func sign(_ body: inout [UInt8], _ head: FrameHeader, _ store: StoreIdentifier) {
    var reader = 0
    for position in 0..<head.recordCount where reader < body.count {
      let length = body[reader...].withUnsafeBytes { bytes in
        (try? RecordHeader(decoding: bytes))?.recordByteCount
      }
      guard let length, length <= body.count - reader, length > 4 else { return }
      let sequence = CommitSequence(head.firstSequence.rawValue &+ UInt64(position))
      body[reader..<(reader + length)].withUnsafeMutableBytes { bytes in
        let covered = UnsafeRawBufferPointer(rebasing: bytes[4...])
        let checksum = RecordEncoder.checksum(
          covered, sequence: sequence, seed: store.checksumSeed)
        bytes.storeBytes(of: checksum.littleEndian, as: UInt32.self)
      }
      reader += length
    }
  }

  @Test(
    "What is rewritten without a change is what it was, in both forms", arguments: [true, false])
  func rewritingIsFaithful(hasShortFrames: Bool) throws {
    let files = try HostileStore.files(isOpen: false, hasShortFrames: hasShortFrames)
    let manifest = try HostileStore.manifest(of: files)
    #expect(manifest.segments.count > 1)
    for descriptor in manifest.segments {
      let name = StoreDirectory.segment(descriptor.identifier).description
      var file = try #require(files[name])
      var forms: Set<FrameHeader.Form> = []
      try Self.rewrite(&file, end: file.count, store: manifest.store) { head, _ in
        forms.insert(head.form)
      }
      #expect(file == files[name])
      #expect(forms == [hasShortFrames ? .short : .long])
    }
  }

  @Test("P14: no byte of a record that verifies traps or hangs", arguments: [UInt64(1), 2, 3, 4])
  func noByteOfARecordTraps(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let original = try HostileStore.files(
      isOpen: seed % 2 == 0, segmentByteCount: 4 << 10, hasShortFrames: seed > 2)
    let manifest = try HostileStore.manifest(of: original)
    for round in 0..<120 {
      var files = original
      for descriptor in manifest.segments {
        let name = StoreDirectory.segment(descriptor.identifier).description
        var file = try #require(files[name])
        try Self.rewrite(&file, end: file.count, store: manifest.store) { _, body in
          for _ in 0..<Int.random(in: 0...2, using: &generator) where !body.isEmpty {
            let offset = Int.random(in: 0..<min(body.count, 40), using: &generator)
            let value = HostileStore.extremes.randomElement(using: &generator) ?? 0
            var written = ByteWriter()
            if Bool.random(using: &generator) {
              written.writeVariableLength(value)
            } else {
              written.writeByte(UInt8(truncatingIfNeeded: value))
            }
            for (index, byte) in written.array().enumerated() where offset + index < body.count {
              body[offset + index] = byte
            }
          }
        }
        // Without their footers, segments are read from their records.
        if descriptor.isSealed, Bool.random(using: &generator) {
          file.removeLast(file.count - Int(descriptor.dataEnd))
        }
        files[name] = file
      }
      HostileStore.use(files, round % 2 == 0 ? .mapped : .buffered)
    }
  }

  @Test(
    "P14: no number of a frame's header traps or hangs", arguments: [false, true], [false, true])
  func noNumberOfAFrameTraps(isOpen: Bool, hasShortFrames: Bool) throws {
    let original = try HostileStore.files(
      isOpen: isOpen, segmentByteCount: 4 << 10, hasShortFrames: hasShortFrames)
    let manifest = try HostileStore.manifest(of: original)
    let changes: [(inout FrameHeader, UInt64) -> Void] = [
      { head, value in head.length = UInt32(truncatingIfNeeded: value) },
      { head, value in head.recordCount = UInt32(truncatingIfNeeded: value) },
      { head, value in head.firstSequence = CommitSequence(value) },
      { head, value in head.durableSequence = CommitSequence(value) },
      { head, value in head.flags = FrameHeader.Flags(rawValue: UInt32(value & 15)) },
      { head, value in
        head.firstSequence = CommitSequence(value)
        head.recordCount = 0
      },
    ]
    var count = 0
    for change in changes {
      for value in HostileStore.extremes {
        count += 1
        var files = original
        for descriptor in manifest.segments {
          let name = StoreDirectory.segment(descriptor.identifier).description
          var file = try #require(files[name])
          var frames = 0
          try Self.rewrite(&file, end: file.count, store: manifest.store) { head, _ in
            frames += 1
            if frames == 1 + count % 2 { change(&head, value) }
          }
          if descriptor.isSealed { file.removeLast(file.count - Int(descriptor.dataEnd)) }
          files[name] = file
        }
        HostileStore.use(files, count % 2 == 0 ? .mapped : .buffered)
      }
    }
  }

  @Test("P14: a record that claims 64 MiB of payload in a few bytes allocates nothing")
  func aBombIsDamage() {
    let stored = [UInt8](repeating: 0xFF, count: 20)
    stored.withUnsafeBytes {
      #expect(RecordCompression.decompress($0, rawLength: LogLimits.payloadByteCount) == nil)
      #expect(RecordCompression.decompress($0, rawLength: 20 * 255) == nil)
      #expect(RecordCompression.decompress($0, rawLength: -1) == nil)
    }
  }

  @Test("P14: frames at the end of all numbers do not trap", arguments: [1, 2, 10, 16, 17, 400])
  func lastNumbers(left: UInt64) throws {
    var files = try HostileStore.files(isOpen: true, hasShortFrames: false)
    let store = try HostileStore.manifest(of: files).store
    let active = try #require(
      try HostileStore.manifest(of: files).segments.first { !$0.isSealed })
    let name = StoreDirectory.segment(active.identifier).description
    var file = try #require(files[name])
    var header = try file.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
      try SegmentHeader.decode(bytes, file: name)
    }
    var next = LogLimits.sequence - left
    header.firstSequence = CommitSequence(next)
    file.replaceSubrange(..<SegmentHeader.byteCount, with: header.encode())
    try Self.rewrite(&file, end: file.count, store: store) { head, body in
      head.firstSequence = CommitSequence(next)
      next += UInt64(head.recordCount)
      Self.sign(&body, head, store)
    }
    files[name] = file
    HostileStore.use(files, .buffered)
  }
}
