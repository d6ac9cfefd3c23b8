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

    /// A file whose appends may be mapped, with 1 MiB reserved.
    private func makeFile() throws -> any File {
      let file = try directory.open(name, .createNew)
      file.mapAppends(preparedBy: nil)
      try file.allocate(0..<(1 << 20))
      return file
    }

    /// Repeats what depends on the clock, which a busy machine may keep from happening in time.
    private func isOnce(atMost count: Int = 20, _ body: () throws -> Bool) rethrows -> Bool {
      for _ in 0..<count where try body() { return true }
      return false
    }

    @Test("a series of appends is mapped, and all that is written is in the file (P2)")
    func series() throws {
      let file = try makeFile()
      let piece = content(100, seed: 1)
      let large = content(5000, seed: 2)
      var expected: [UInt8] = []
      func append(_ bytes: [UInt8]) throws {
        try file.write([bytes], at: UInt64(expected.count))
        expected += bytes
      }
      let isMapped = try isOnce {
        for _ in 0..<64 { try append(piece) }
        return self.isMapped()
      }
      #expect(isMapped == MappedFiles.areExpected(at: temporary.path))
      if isMapped {
        // The window stays for what follows a large write.
        let isMappedBehind = try isOnce {
          for _ in 0..<64 { try append(piece) }
          try append(large)
          try append(piece)
          return self.isMapped()
        }
        #expect(isMappedBehind)
      } else {
        print("SKIPPED: appends are not mapped on this file system")
      }
      #expect(try bytes().prefix(expected.count).elementsEqual(expected))
      #expect(try bytes().dropFirst(expected.count).allSatisfy { $0 == 0 })
      #expect(try bytes().count == 1 << 20)
      try file.truncate(to: UInt64(expected.count))
      #expect(!self.isMapped(), "a store behind the end would end the process")
      #expect(try bytes() == expected)
    }

    @Test("a mapping goes when it is asked to; one that took little is not soon made again")
    func letGo() throws {
      let file = try makeFile()
      // Room for what a busy machine makes it repeat.
      try file.allocate((1 << 20)..<(8 << 20))
      let piece = content(100, seed: 1)
      var expected: [UInt8] = []
      /// Whether so many pieces, within the time of a series, were mapped.
      func areMapped(_ count: Int) throws -> Bool {
        for _ in 0..<count {
          try file.write([piece], at: UInt64(expected.count))
          expected += piece
        }
        return isMapped()
      }
      let isExpected = MappedFiles.areExpected(at: temporary.path)
      #expect(try isOnce { try areMapped(64) } == isExpected)
      file.unmapAppends()
      try file.synchronize()
      #expect(!isMapped())
      // It took a few pieces only.
      #expect(try !areMapped(200))
      #expect(try isOnce(atMost: 3) { try areMapped(200) } == isExpected)
      #expect(try isOnce { try areMapped(700) } == isExpected)
      file.unmapAppends()
      try file.synchronize()
      #expect(!isMapped())
      // It was worth it.
      #expect(try !areMapped(20))
      #expect(try isOnce { try areMapped(64) } == isExpected)
      file.unmapAppends()
      file.unmapAppends()
      #expect(try bytes().prefix(expected.count).elementsEqual(expected))
      #expect(try bytes().dropFirst(expected.count).allSatisfy { $0 == 0 })
    }

    @Test("appends far apart in time, and small ones between large ones, go by calls")
    func noSeries() throws {
      let file = try makeFile()
      let piece = content(100, seed: 1)
      var end = 0
      func append(_ bytes: [UInt8]) throws {
        try file.write([bytes], at: UInt64(end))
        end += bytes.count
      }
      for _ in 0..<60 {
        try append(piece)
        try append(content(5000, seed: 2))
        #expect(!isMapped())
      }
      for _ in 0..<64 { try append(piece) }
      // A page that the system has written since would be protected again.
      Thread.sleep(forTimeInterval: 0.3)
      for _ in 0..<20 {
        try append(piece)
        #expect(!isMapped())
      }
    }

    @Test("writing again what was written changes nothing behind it")
    func overwriting() throws {
      let file = try makeFile()
      var expected = content(40_000, seed: 1)
      try file.write([expected], at: 0)
      for index in 0..<200 {
        let piece = content(50, seed: UInt64(index))
        try file.write([piece], at: UInt64(index * 50))
        expected.replaceSubrange(index * 50..<(index + 1) * 50, with: piece)
      }
      #expect(!isMapped())
      #expect(try bytes().prefix(expected.count).elementsEqual(expected))
    }

    @Test("nothing is mapped that is not reserved, or where nobody asked for it")
    func unreserved() throws {
      for (index, isAsked) in [true, false].enumerated() {
        let file = try directory.open(name, .createNew)
        if isAsked { file.mapAppends(preparedBy: nil) } else { try file.allocate(0..<(1 << 20)) }
        for position in 0..<200 {
          try file.write([content(30, seed: UInt64(index))], at: UInt64(position * 30))
        }
        #expect(!isMapped())
        #expect(try bytes().count == (isAsked ? 6000 : 1 << 20))
        try directory.remove(name)
      }
    }

    @Test("another thread makes windows ready, and appends go on while it does not")
    func preparedWindows() throws {
      let file = try directory.open(name, .createNew)
      let worker = SerialWorker(isBackground: true)
      file.mapAppends(preparedBy: worker)
      try file.allocate(0..<(8 << 20))
      let piece = content(100, seed: 1)
      var expected: [UInt8] = []
      func append(_ count: Int) throws {
        for _ in 0..<count {
          try file.write([piece], at: UInt64(expected.count))
          expected += piece
        }
        worker.waitUntilIdle()
      }
      // The first window begins some way behind the appends that show the series.
      let isExpected = MappedFiles.areExpected(at: temporary.path)
      #expect(
        try isOnce {
          try append(50)
          return isMapped() == isExpected
        })
      // From here on there is always one.
      for _ in 0..<15 {
        #expect(
          try isOnce {
            try append(1000)
            return isMapped() == isExpected
          })
      }
      // Nothing prepares the next ones.
      let gate = WorkerGate(worker)
      defer { gate.open() }
      for _ in 0..<8 {
        for _ in 0..<1000 {
          try file.write([piece], at: UInt64(expected.count))
          expected += piece
        }
      }
      gate.open()
      worker.waitUntilIdle()
      #expect(try bytes().prefix(expected.count).elementsEqual(expected))
      #expect(try bytes().dropFirst(expected.count).allSatisfy { $0 == 0 })
      try file.truncate(to: UInt64(expected.count))
      #expect(!isMapped())
      #expect(try bytes() == expected)
    }

    @Test("what overtakes a window that is not ready stays", arguments: [1, 2], [false, true])
    func overtaken(partCount: Int, isCut: Bool) throws {
      let worker = SerialWorker(isBackground: true)
      let gate = WorkerGate(worker)
      defer { gate.open() }
      let file = try directory.open(name, .createNew)
      file.mapAppends(preparedBy: worker)
      try file.allocate(0..<(1 << 20))
      var expected: [UInt8] = []
      func append(_ parts: [[UInt8]]) throws {
        try file.write(parts, at: UInt64(expected.count))
        for part in parts { expected += part }
      }
      for seed in 0..<60 { try append([content(100, seed: UInt64(seed))]) }
      if isCut {
        try file.truncate(to: UInt64(expected.count))
        try file.allocate(UInt64(expected.count)..<(1 << 20))
      }
      try append([UInt64](1...UInt64(partCount)).map { content(100_000, seed: $0) })
      gate.open()
      for seed in 0..<60 { try append([content(100, seed: UInt64(seed))]) }
      worker.waitUntilIdle()
      try file.truncate(to: UInt64(expected.count))
      #expect(try bytes() == expected)
    }

    @Test("nothing is kept of a file that is let go while a window is prepared")
    func letGoMeanwhile() throws {
      let worker = SerialWorker(isBackground: true)
      let gate = WorkerGate(worker)
      defer { gate.open() }
      do {
        let file = try directory.open(name, .createNew)
        file.mapAppends(preparedBy: worker)
        try file.allocate(0..<(1 << 20))
        for number in 0..<60 { try file.write([content(100, seed: 1)], at: UInt64(number * 100)) }
      }
      gate.open()
      worker.waitUntilIdle()
      #expect(!isMapped())
      #expect(try bytes().prefix(6000).allSatisfy { $0 != 0 })
      #expect(try bytes().dropFirst(6000).allSatisfy { $0 == 0 })
    }

    @Test(
      "what a series wrote is there when the file is gone from the process",
      arguments: [1, 2, 3], [false, true])
    func anySequence(seed: UInt64, isPrepared: Bool) throws {
      print("seed \(seed)")
      let worker = isPrepared ? SerialWorker(isBackground: true) : nil
      var gate: WorkerGate?
      defer { gate?.open() }
      var random = SeededGenerator(seed: seed)
      let file = try directory.open(name, .createNew)
      let beside = try directory.open(name, .read)
      file.mapAppends(preparedBy: worker)
      var expected: [UInt8] = []
      var allocated = 0
      for step in 0..<6000 {
        switch random.next() % 400 {
        case 0:
          try file.truncate(to: UInt64(expected.count))
          allocated = expected.count
        case 1: try file.synchronize()
        case 3: file.startWriting(0..<UInt64(expected.count))
        case 4...15:
          // The worker is late, or comes by.
          if let held = gate {
            held.open()
            gate = nil
          } else if let worker {
            gate = WorkerGate(worker)
          }
        case 2:
          // As after a write that failed: cut off, and written again.
          expected.removeLast(Int(random.next() % UInt64(min(expected.count, 5000) + 1)))
          try file.truncate(to: UInt64(expected.count))
          allocated = expected.count
        default: break
        }
        // Behind it windows are rare.
        if step == 5000 { file.unmapAppends() }
        let isLarge = random.next() % 100 == 0
        let piece = content(
          1 + Int(random.next() % (isLarge ? 20_000 : 400)), seed: random.next())
        if expected.count + piece.count > allocated {
          let target = expected.count + piece.count + Int(random.next() % 400_000)
          try file.allocate(UInt64(allocated)..<UInt64(target))
          allocated = target
        }
        let cut = isLarge && random.next() % 2 == 0 ? piece.count / 2 : piece.count
        let parts = [piece[..<cut], piece[cut...]].filter { !$0.isEmpty }.map { [UInt8]($0) }
        try file.write(parts, at: UInt64(expected.count))
        if step % 64 == 0 {
          // Through another handle, and nothing but zeros behind.
          let read = try beside.bytes(piece.count + 100, at: UInt64(expected.count))
          #expect(read.prefix(piece.count).elementsEqual(piece))
          #expect(read.dropFirst(piece.count).allSatisfy { $0 == 0 })
        }
        expected += piece
      }
      try file.truncate(to: UInt64(expected.count))
      gate?.open()
      worker?.waitUntilIdle()
      #expect(try bytes() == expected)
    }
  }
#endif
