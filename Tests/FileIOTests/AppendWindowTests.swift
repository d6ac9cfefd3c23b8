#if os(Linux)
  import FileIO
  import Foundation
  import StorageTestSupport
  import Testing

  @Suite("Appends through a mapping")
  struct AppendWindowTests {
    private let temporary: TemporaryDirectory
    private let directory: any Directory
    private let name = FileName(valid: "appended")

    init() throws {
      temporary = try TemporaryDirectory()
      directory = try POSIXFileSystem().openDirectory(at: temporary.path, create: false)
    }

    private func content(_ count: Int, seed: UInt64) -> [UInt8] {
      var random = SeededGenerator(seed: seed)
      return (0..<count).map { _ in UInt8.random(in: 1...255, using: &random) }
    }

    /// Whether a part of the file is mapped for writing.
    private func isMapped() -> Bool {
      MappedFiles.isWritable(below: "\(temporary.path)/\(name)")
    }

    /// As another handle reads it.
    private func bytes() throws -> [UInt8] { try directory.open(name, .read).contents() }

    /// A file whose appends may be mapped, and whether they are once there were many of them.
    private func makeStream(reserving count: Int = 1 << 20) throws -> (any File, end: Int, Bool) {
      let file = try directory.open(name, .createNew)
      file.mapAppends()
      try file.allocate(0..<UInt64(count))
      let piece = content(100, seed: 1)
      for index in 0..<64 { try file.write([piece], at: UInt64(index * 100)) }
      return (file, 6400, isMapped())
    }

    @Test("a stream of appends is mapped, other writes are not, and all are in the file (P2)")
    func streams() throws {
      let (file, end, isMapped) = try makeStream()
      let piece = content(100, seed: 1)
      #expect(try bytes().prefix(end).elementsEqual((0..<64).flatMap { _ in piece }))
      #expect(try bytes().dropFirst(end).allSatisfy { $0 == 0 })
      #expect(try bytes().count == 1 << 20)
      guard isMapped else { return print("SKIPPED: appends are not mapped on this file system") }
      let large = content(5000, seed: 2)
      try file.write([large], at: UInt64(end))
      try file.write([piece], at: UInt64(end + 5000))
      #expect(self.isMapped())
      #expect(try bytes()[end..<end + 5100].elementsEqual(large + piece))
      try file.truncate(to: UInt64(end + 5100))
      #expect(!self.isMapped(), "a store behind the end would end the process")
      #expect(try bytes().count == end + 5100)
    }

    @Test("few appends, and appends far apart in time, go by calls")
    func singleAppends() throws {
      let (file, end, isMapped) = try makeStream()
      guard isMapped else { return print("SKIPPED: appends are not mapped on this file system") }
      // A page that the system has written since would be protected again.
      Thread.sleep(forTimeInterval: 0.3)
      var position = end
      for _ in 0..<20 {
        try file.write([content(50, seed: 3)], at: UInt64(position))
        position += 50
        #expect(!self.isMapped())
      }
      let expected = (0..<20).flatMap { _ in content(50, seed: 3) }
      #expect(try bytes()[end..<position].elementsEqual(expected))
    }

    @Test("nothing is mapped that is not reserved, or where nobody asked for it")
    func unreserved() throws {
      for (index, isAsked) in [true, false].enumerated() {
        let file = try directory.open(name, .createNew)
        if isAsked { file.mapAppends() } else { try file.allocate(0..<(1 << 20)) }
        for position in 0..<200 {
          try file.write([content(30, seed: UInt64(index))], at: UInt64(position * 30))
        }
        #expect(!isMapped())
        #expect(try bytes().count == (isAsked ? 6000 : 1 << 20))
        try directory.remove(name)
      }
    }

    @Test(
      "what a stream wrote is there when the file is gone from the process", arguments: [1, 2, 3])
    func anySequence(seed: UInt64) throws {
      print("seed \(seed)")
      var random = SeededGenerator(seed: seed)
      let file = try directory.open(name, .createNew)
      let beside = try directory.open(name, .read)
      file.mapAppends()
      var expected: [UInt8] = []
      var allocated = 0
      for step in 0..<6000 {
        switch random.next() % 400 {
        case 0:
          try file.truncate(to: UInt64(expected.count))
          allocated = expected.count
        case 1: try file.synchronize()
        case 2:
          // As after a write that failed: cut off, and written again.
          expected.removeLast(Int(random.next() % UInt64(min(expected.count, 5000) + 1)))
          try file.truncate(to: UInt64(expected.count))
          allocated = expected.count
        default: break
        }
        let isLarge = random.next() % 100 == 0
        let piece = content(
          1 + Int(random.next() % (isLarge ? 20_000 : 400)), seed: random.next())
        if expected.count + piece.count > allocated {
          let target = expected.count + piece.count + Int(random.next() % 400_000)
          try file.allocate(UInt64(allocated)..<UInt64(target))
          allocated = target
        }
        try file.write([piece], at: UInt64(expected.count))
        if step % 64 == 0 {
          // Through another handle, and nothing but zeros behind.
          let read = try beside.bytes(piece.count + 100, at: UInt64(expected.count))
          #expect(read.prefix(piece.count).elementsEqual(piece))
          #expect(read.dropFirst(piece.count).allSatisfy { $0 == 0 })
        }
        expected += piece
      }
      try file.truncate(to: UInt64(expected.count))
      #expect(try bytes() == expected)
    }
  }
#endif
