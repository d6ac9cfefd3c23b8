internal import BinaryCoding
internal import FileIO
internal import Synchronization

/// A sorted, immutable index of one segment: its footer, or the same rebuilt from its records.
///
/// Directory and filter are checked and kept in memory when the run is opened; a page is checked
/// when it is first used. An exact look-up costs the filter's one cache miss when the key is
/// absent, and a directory search plus one page when it is present. Safe on any thread.
final class IndexRun: Sendable {
  let header: IndexRunHeader
  let directory: RunDirectory
  private let filter: MappedRunBytes
  private let pages: RunPageSource
  private let salt: UInt64
  private let checked: CheckedPages

  /// Opens the run whose bytes `source` gives; throws a reason when they are damaged.
  init(_ source: RunPageSource, salt: UInt64) throws(RunDamage) {
    self.salt = salt
    pages = source
    let headerBytes = try source.bytes(0..<IndexRunHeader.byteCount)
    defer { withExtendedLifetime(headerBytes) {} }
    do throws(BinaryDecodingError) {
      header = try IndexRunHeader(decoding: headerBytes.buffer, salt: salt)
    } catch { throw .damaged("the footer's header: \(error)") }
    guard let total = header.runByteCount, total == UInt64(source.byteCount),
      header.filterByteCount % UInt64(RunFilter.lineByteCount) == 0, header.filterByteCount > 0
    else { throw .damaged("the footer's parts do not add up") }
    let pagesEnd = IndexRunHeader.byteCount + Int(header.pagesByteCount)
    let directoryEnd = pagesEnd + Int(header.directoryByteCount)
    let directoryBytes = try source.bytes(pagesEnd..<directoryEnd)
    defer { withExtendedLifetime(directoryBytes) {} }
    filter = try source.bytes(directoryEnd..<source.byteCount)
    guard Checksum.crc32c(directoryBytes.buffer) == header.directoryChecksum else {
      throw .damaged("the footer's directory has a wrong checksum")
    }
    guard Checksum.crc32c(filter.buffer) == header.filterChecksum else {
      throw .damaged("the footer's filter has a wrong checksum")
    }
    do throws(BinaryDecodingError) {
      directory = try RunDirectory(
        directoryBytes, pageCount: Int(header.pageCount), pagesByteCount: header.pagesByteCount)
    } catch { throw .damaged("the footer's directory: \(error)") }
    checked = CheckedPages(count: Int(header.pageCount))
  }

  /// The value of `key`, tombstones included; `hash` is the key's ``RunFilter/hash(_:_:)``.
  func find(_ key: IndexKey, hash: UInt64) throws(RunDamage) -> IndexValue? {
    guard let page = directory.page(for: key),
      RunFilter.mayContain(hash, in: filter.buffer)
    else { return nil }
    let bytes = try self.page(at: page)
    // A page that was read from a file lives no longer than its owner.
    defer { withExtendedLifetime(bytes) {} }
    do throws(BinaryDecodingError) {
      let decoded = try RunPage(bytes.buffer)
      return decoded.collection == key.collection ? try decoded.find(key.buffer) : nil
    } catch { throw .damaged("the footer's page \(page): \(error)") }
  }

  /// False only when the run cannot hold the key.
  func mayContain(_ key: IndexKey, hash: UInt64) -> Bool {
    directory.page(for: key) != nil && RunFilter.mayContain(hash, in: filter.buffer)
  }

  /// The checked bytes of a page.
  func page(at page: Int) throws(RunDamage) -> MappedRunBytes {
    let place = directory.place(ofPage: page)
    let start = IndexRunHeader.byteCount + place.lowerBound
    let bytes = try pages.bytes(start..<(start + place.count))
    defer { withExtendedLifetime(bytes) {} }
    if pages.isStable && checked.contains(page) { return bytes }
    guard RunPage.isIntact(bytes.buffer, salt: salt, place: UInt64(place.lowerBound)) else {
      throw .damaged("the footer's page \(page) has a wrong checksum")
    }
    checked.insert(page)
    return bytes
  }
}
