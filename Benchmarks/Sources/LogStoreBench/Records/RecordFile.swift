internal import CPrefetch
import Foundation

/// The records of a run: written once, mapped by every process, so that each engine gets the same
/// bytes and none of them counts as its memory.
///
///     keys and values, one after the other, and zeros up to a multiple of 8
///     8 × (2 × count + 1)  starts of key 0, value 0, key 1, …, and the end
///     8  count
///     8  bytes of all values
///
/// Integers are of the machine: the file lives as long as the run.
final class RecordFile: @unchecked Sendable {
  // The mapping is private and never written.
  private let bytes: UnsafeRawBufferPointer
  private let startsOffset: Int
  let count: Int
  let valueByteCount: Int
  let keyKind: KeyKind

  init(path: String, keyKind: KeyKind) throws {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw BenchmarkError("cannot open \(path)") }
    defer { close(descriptor) }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    #if os(Linux)
      // No phase waits for a page of it.
      let flags = MAP_PRIVATE | MAP_POPULATE
    #else
      let flags = MAP_PRIVATE
    #endif
    guard let start = mmap(nil, size, PROT_READ, flags, descriptor, 0), start != MAP_FAILED
    else { throw BenchmarkError("cannot map \(path)") }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
    count = bytes.load(fromByteOffset: size - 16, as: Int.self)
    valueByteCount = bytes.load(fromByteOffset: size - 8, as: Int.self)
    startsOffset = size - 16 - (2 * count + 1) * 8
    self.keyKind = keyKind
  }

  /// The key with that number.
  func key(_ number: Int) -> UnsafeRawBufferPointer { part(2 * number) }

  /// The value with that number.
  func value(_ number: Int) -> UnsafeRawBufferPointer { part(2 * number + 1) }

  /// Asks for the memory that says where a record lies.
  func askForPlace(_ number: Int) {
    guard let base = bytes.baseAddress else { return }
    logstore_bench_prefetch(base + startsOffset + 16 * number, 24)
  }

  /// The bytes of all keys and values.
  var byteCount: Int { start(2 * count) }

  /// Whether each key is above the one before.
  var isInKeyOrder: Bool {
    (1..<max(count, 1)).allSatisfy { key($0 - 1).lexicographicallyPrecedes(key($0)) }
  }

  private func part(_ index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[start(index)..<start(index + 1)])
  }

  private func start(_ index: Int) -> Int {
    bytes.load(fromByteOffset: startsOffset + 8 * index, as: Int.self)
  }
}
