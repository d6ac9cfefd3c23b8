import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct DictionaryShelfTests {
  private static func dictionary(_ number: UInt32, schemaVersion: UInt64 = 0)
    -> CompressionDictionary
  {
    CompressionDictionary(
      DictionaryIdentifier(number),
      CollectionVersion(collection: TestLog.people, schemaVersion: schemaVersion),
      sample: CompressionDictionary.Sample(rawByteCount: 0, storedByteCount: 0),
      bytes: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  private static func shelf() throws -> DictionaryShelf {
    let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
    return DictionaryShelf(
      StoreIdentifier(low: 2, high: 1), in: directory, observer: nil)
  }

  @Test("Very many are taken in at once, in any order, among those that are known")
  func manyAtOnce() throws {
    let shelf = try Self.shelf()
    let count: UInt32 = 200_000
    shelf.insert(Self.dictionary(count / 2), copies: 1)
    shelf.insert(
      (1...count).reversed().flatMap { number -> [FoundDictionary] in
        let dictionary = Self.dictionary(number)
        return [UInt8(1), 2].map { FoundDictionary(dictionary: dictionary, copies: $0) }
      })
    #expect(try shelf.all().map(\.identifier.rawValue) == Array(1...count))
    #expect(try shelf.areWhole())
    #expect(!shelf.isContradicted && shelf.tableCount == 2)
    shelf.insert([FoundDictionary(dictionary: Self.dictionary(7), copies: 3)])
    #expect(shelf.tableCount == 2)
  }

  @Test("Of two with one number that differ the first counts, and a contradiction is noted")
  func contradictions() throws {
    let shelf = try Self.shelf()
    shelf.insert([
      FoundDictionary(dictionary: Self.dictionary(2, schemaVersion: 5), copies: 1),
      FoundDictionary(dictionary: Self.dictionary(1), copies: 3),
      FoundDictionary(dictionary: Self.dictionary(2, schemaVersion: 6), copies: 2),
    ])
    #expect(try shelf.all().map(\.version.schemaVersion) == [0, 5])
    #expect(shelf.isContradicted)
  }
}
