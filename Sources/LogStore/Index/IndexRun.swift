internal import BinaryCoding
internal import FileIO
internal import Synchronization

/// A sorted, immutable index: of one segment in its footer, or of many in a file of its own.
///
/// The directory, and a footer's filter, are checked and kept in memory when the run is opened;
/// pages and parts of a locator are checked when they are first used. An exact look-up of an absent
/// key costs the cache miss of the filter or locator; of a present one, a page more, which a footer
/// finds by a search of its directory. Safe on any thread.
final class IndexRun: Sendable {
  let header: IndexRunHeader
  let directory: RunDirectory
  /// Of a footer only.
  private let filter: MappedRunBytes?
  private let source: RunPageSource
  private let salt: UInt64
  /// The pages, of a footer by number, of a merged run by unit; then the parts of the locator.
  private let checked: CheckedPages
  private let pagesByteCount: Int
  /// Parts of the locator; 0 in a footer.
  let partCount: Int

  /// Opens the run whose bytes `source` gives; throws a reason when they are damaged.
  init(
    _ source: RunPageSource, salt: UInt64, format: RunFormat = .footer
  ) throws(RunDamage) {
    self.salt = salt
    self.source = source
    let header = try Self.header(of: source, salt: salt, format: format)
    self.header = header
    let pagesEnd = format.headerByteCount + Int(header.pagesByteCount)
    let directoryByteCount = Int(header.directoryByteCount)
    let filterByteCount = Int(header.filterByteCount)
    let directoryStart = format == .footer ? pagesEnd : pagesEnd + filterByteCount
    let directoryBytes = try source.bytes(directoryStart..<(directoryStart + directoryByteCount))
    defer { withExtendedLifetime(directoryBytes) {} }
    guard Checksum.crc32c(directoryBytes.buffer) == header.directoryChecksum else {
      throw .damaged("\(format.name)'s directory has a wrong checksum")
    }
    do throws(BinaryDecodingError) {
      directory = try RunDirectory(
        directoryBytes, pageCount: Int(header.pageCount), pagesByteCount: header.pagesByteCount)
    } catch { throw .damaged("\(format.name)'s directory: \(error)") }
    pagesByteCount = Int(header.pagesByteCount)
    switch format {
    case .footer:
      let start = directoryStart + directoryByteCount
      let bytes = try source.bytes(start..<(start + filterByteCount))
      guard Checksum.crc32c(bytes.buffer) == header.filterChecksum else {
        throw .damaged("the footer's filter has a wrong checksum")
      }
      filter = bytes
      partCount = 0
      checked = CheckedPages(count: Int(header.pageCount))
    case .merged:
      filter = nil
      partCount = filterByteCount / RunLocator.partByteCount
      checked = CheckedPages(count: pagesByteCount / RunFormat.unit + partCount)
    }
  }

  private static func header(
    of source: RunPageSource, salt: UInt64, format: RunFormat
  ) throws(RunDamage) -> IndexRunHeader {
    let bytes = try source.bytes(0..<format.headerByteCount)
    defer { withExtendedLifetime(bytes) {} }
    let header: IndexRunHeader
    do throws(BinaryDecodingError) {
      header = try IndexRunHeader(decoding: bytes.buffer, salt: salt)
    } catch { throw .damaged("\(format.name)'s header: \(error)") }
    let multiple = format == .footer ? RunFilter.lineByteCount : RunLocator.partByteCount
    guard header.format == format, let total = header.runByteCount,
      total == UInt64(source.byteCount), header.filterByteCount > 0,
      header.filterByteCount % UInt64(multiple) == 0,
      format == .footer || header.pagesByteCount % UInt64(RunFormat.unit) == 0,
      bytes.buffer[IndexRunHeader.byteCount...].allSatisfy({ $0 == 0 })
    else { throw .damaged("\(format.name)'s parts do not add up") }
    return header
  }

  /// The value of `key`, tombstones included; `hash` is the key's ``RunFilter/hash(_:_:)``.
  func find(_ key: IndexKey, hash: UInt64) throws(RunDamage) -> IndexValue? {
    if let filter {
      return RunFilter.mayContain(hash, in: filter.buffer) ? try search(key) : nil
    }
    let part = try self.part(RunLocator.part(of: hash, partCount: partCount))
    defer { withExtendedLifetime(part) {} }
    var candidates = RunLocator.Search(hash)
    while let place = candidates.next(in: part.buffer) {
      if let found = try find(key, atPlace: place) { return found }
    }
    return nil
  }

  /// The same by a search of the directory and a page, whatever filter or locator say.
  func search(_ key: IndexKey) throws(RunDamage) -> IndexValue? {
    guard let page = directory.page(for: key) else { return nil }
    let bytes = try self.page(at: page)
    // A page that was read from a file lives no longer than its owner.
    defer { withExtendedLifetime(bytes) {} }
    do throws(BinaryDecodingError) {
      let decoded = try RunPage(bytes.buffer, format: header.format)
      return decoded.collection == key.collection ? try decoded.find(key.buffer) : nil
    } catch { throw .damaged("\(header.format.name)'s page \(page): \(error)") }
  }

  /// False only when the run cannot hold the key.
  func mayContain(_ key: IndexKey, hash: UInt64) -> Bool {
    guard directory.page(for: key) != nil else { return false }
    return filter.map { RunFilter.mayContain(hash, in: $0.buffer) } ?? true
  }

  /// The checked bytes of a page.
  func page(at page: Int) throws(RunDamage) -> MappedRunBytes {
    let place = directory.place(ofPage: page)
    guard header.format == .footer else {
      let bytes = try self.page(startingAt: place.lowerBound)
      guard bytes.count == place.count else {
        throw .damaged("the run's page \(page) has another size than the directory says")
      }
      return bytes
    }
    return try bytes(at: place, isChecked: page) { bytes in
      RunPage.isIntact(bytes, salt: salt, place: UInt64(place.lowerBound))
    }
  }

  /// The page of a merged run that starts at `start`, which tells its own size.
  private func page(startingAt start: Int) throws(RunDamage) -> MappedRunBytes {
    let unit = RunFormat.unit
    guard start % unit == 0, start < pagesByteCount else {
      throw .damaged("a page of the run lies outside")
    }
    let first = try bytes(at: start..<(start + unit), isChecked: nil) { _ in true }
    let size = Int(
      UInt32(littleEndian: first.buffer.loadUnaligned(fromByteOffset: 20, as: UInt32.self)))
    guard size > 0, size % unit == 0, size <= pagesByteCount - start else {
      throw .damaged("a page of the run has \(size) bytes")
    }
    return try bytes(at: start..<(start + size), isChecked: start / unit) { bytes in
      RunPage.isIntact(bytes, salt: salt, place: UInt64(start))
    }
  }

  private func find(_ key: IndexKey, atPlace place: Int) throws(RunDamage) -> IndexValue? {
    let start = place / RunFormat.unit * RunFormat.unit
    let bytes = try page(startingAt: start)
    defer { withExtendedLifetime(bytes) {} }
    do throws(BinaryDecodingError) {
      let page = try RunPage(bytes.buffer, format: .merged)
      guard page.collection == key.collection else { return nil }
      return try page.find(key.buffer, atPlace: place - start)
    } catch { throw .damaged("the run's page at \(start): \(error)") }
  }

  /// The checked bytes of a part of the locator.
  func part(_ part: Int) throws(RunDamage) -> MappedRunBytes {
    let start = pagesByteCount + part * RunLocator.partByteCount
    let number = pagesByteCount / RunFormat.unit + part
    return try bytes(at: start..<(start + RunLocator.partByteCount), isChecked: number) { bytes in
      RunLocator.isIntact(bytes, salt: salt, place: UInt64(start))
    }
  }

  /// Bytes at a place behind the header; `number` remembers that they passed `check`.
  private func bytes(
    at place: Range<Int>, isChecked number: Int?, _ check: (UnsafeRawBufferPointer) -> Bool
  ) throws(RunDamage) -> MappedRunBytes {
    let start = header.format.headerByteCount + place.lowerBound
    let bytes = try source.bytes(start..<(start + place.count))
    guard let number else { return bytes }
    defer { withExtendedLifetime(bytes) {} }
    if source.isStable && checked.contains(number) { return bytes }
    guard check(bytes.buffer) else {
      throw .damaged("\(header.format.name) has a wrong checksum at \(start)")
    }
    checked.insert(number)
    return bytes
  }
}
