extension SimulatedDisk {
  /// A file on its way to the disk: bytes beyond `size` are blocks that no size reaches yet.
  fileprivate struct Image {
    var bytes: [UInt8]
    var size: Int
  }

  /// The disk after a power loss in which only the `survivors` among `units` arrived.
  func afterPowerLoss(
    _ units: [PendingUnit], survivors: SurvivorSet, fill: CrashChoice.Fill
  ) -> SimulatedDisk {
    var names = directories.mapValues(\.durable)
    for (index, unit) in units.enumerated() where survivors[index] {
      guard case .name(let directory, let change) = unit.target else { continue }
      directories[directory]?.pending[change].apply(to: &names[directory, default: [:]])
    }
    // Of files without a name nothing is left, so their contents do not matter.
    var images: [Int: Image] = [:]
    for file in Set(names.values.flatMap(\.values)) where !files[file].pending.isEmpty {
      images[file] = Self.image(of: files[file], number: file, fill: fill)
    }
    for (index, unit) in units.enumerated() where survivors[index] {
      switch unit.target {
      case .name: break
      case .size(let file, let size, let fillsWithZeros):
        images[file]?.resize(to: size, fillingWithZeros: fillsWithZeros)
      case .sector(let file, let change, let index):
        images[file]?.store(files[file].pending[change], sector: index)
      }
    }
    return disk(names: names, images: images)
  }

  /// A disk without anything pending: the named files with their images. In the order of the names,
  /// so that the same choices give the same numbers in every process.
  private func disk(names: [String: [String: Int]], images: [Int: Image]) -> SimulatedDisk {
    var disk = SimulatedDisk()
    for (directory, names) in names {
      var numbers: [String: Int] = [:]
      for (name, file) in names.sorted(by: { $0.key < $1.key }) {
        numbers[name] = disk.files.count
        disk.files.append(Self.contents(of: files[file], image: images[file]))
      }
      disk.directories[directory] = Names(live: numbers, durable: numbers)
    }
    return disk
  }

  private static func contents(
    of file: SimulatedContents, image: Image?
  ) -> SimulatedContents {
    guard let image else {
      return SimulatedContents(
        live: file.durable, durable: file.durable, liveHash: file.durableHash,
        durableHash: file.durableHash, nameCount: 1)
    }
    var bytes = image.bytes
    SimulatedContents.resize(&bytes, to: image.size)
    return SimulatedContents(live: bytes, durable: bytes, nameCount: 1)
  }

  /// What is durable, with room for everything that may arrive and the chosen filling in that room.
  private static func image(
    of contents: SimulatedContents, number: Int, fill: CrashChoice.Fill
  ) -> Image {
    var image = Image(bytes: contents.durable, size: contents.durable.count)
    let end = contents.pending.reduce(contents.durable.count) { end, change in
      switch change.kind {
      case .resize(let size): max(end, size)
      case .write(let start, let sectors, let sizes):
        max(end, start + sectors.count, sizes.last ?? 0)
      }
    }
    guard end > contents.durable.count else { return image }
    SimulatedContents.resize(&image.bytes, to: end)
    guard case .garbage(let seed) = fill else { return image }
    var generator = SeededGenerator(seed: seed &+ UInt64(number))
    for change in contents.pending {
      guard case .write(let start, let sectors, _) = change.kind else { continue }
      let first = max(start, contents.durable.count)
      for index in first..<max(first, start + sectors.count) {
        image.bytes[index] = UInt8(truncatingIfNeeded: generator.next())
      }
    }
    return image
  }
}

extension SimulatedDisk.Image {
  fileprivate mutating func resize(to newSize: Int, fillingWithZeros: Bool) {
    let zeros = newSize < size ? newSize..<bytes.count : fillingWithZeros ? size..<newSize : 0..<0
    bytes.withUnsafeMutableBytes { bytes in
      _ = UnsafeMutableRawBufferPointer(rebasing: bytes[zeros]).initializeMemory(
        as: UInt8.self, repeating: 0)
    }
    size = newSize
  }

  fileprivate mutating func store(_ change: PendingChange, sector: Int) {
    guard case .write(let start, let sectors, _) = change.kind else { return }
    let first = sector * SimulatedContents.sectorByteCount
    let end = min(first + SimulatedContents.sectorByteCount, sectors.count)
    SimulatedContents.copy(sectors[first..<end], into: &bytes, at: start + first)
  }
}
