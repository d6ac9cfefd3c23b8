internal import FileIO
internal import Synchronization

/// A merged run as its readers see it.
///
/// The file is opened when it is first needed. It is derived from the footers of its segments: when
/// it turns out damaged or missing they are asked in its place, until the next merge replaces it.
/// A retired run's file is removed when the last view that can read it goes away. Safe on any
/// thread.
final class MergedRun: Sendable {
  let descriptor: RunDescriptor
  let name: FileName
  private let directory: any Directory
  private let readMode: LogConfiguration.ReadMode
  private let cache: RunPageCache?
  private let opened = OnceReference<IndexRun>()
  private let damaged = Atomic(false)
  private let retirement = Lock<StoreOwnership?>(nil)

  init(
    _ descriptor: RunDescriptor, in directory: any Directory,
    readMode: LogConfiguration.ReadMode, cache: RunPageCache? = nil
  ) {
    self.cache = cache
    self.descriptor = descriptor
    self.directory = directory
    self.readMode = readMode
    name = StoreDirectory.run(descriptor.identifier)
  }

  deinit { retirement.withLock { ownership in ownership }?.remove(name) }

  /// Lets the file be removed with the last reader, if `ownership` lasts until then; the manifest
  /// must not list it any more.
  func retire(_ ownership: StoreOwnership) {
    ownership.note(name)
    retirement.withLock { current in current = ownership }
  }

  /// Whether footers are asked in its place.
  var isDamaged: Bool { damaged.load(ordering: .relaxed) }

  /// Remembers damage that was found while the run was read; throws what is none.
  func note(_ error: RunDamage) throws(LogError) {
    if let obstacle = error.obstacle { throw .fileIO(obstacle) }
    noteDamage()
  }

  /// Remembers that the run is damaged.
  func noteDamage() { damaged.store(true, ordering: .relaxed) }

  /// The run, opened when it was not before.
  func run() throws(RunDamage) -> IndexRun {
    if let run = opened.load() { return run }
    return opened.storeIfNil(try open())
  }

  /// What its file is mapped to, if it is.
  var mapping: MappedBytes? { opened.load()?.mapping }

  /// What ``IndexRun/forgetPages()`` does, if the run is open.
  func forgetPages() { opened.load()?.forgetPages() }

  /// What ``IndexRun/find(_:hash:_:)`` says.
  func fastAnswer(_ key: IndexKey, hash: UInt64) -> FastAnswer {
    lendRun { $0.fastAnswer(key, hash: hash) } ?? .unknown
  }

  /// Lends the run, when it is open and not damaged.
  @inline(__always)
  func lendRun<Result>(_ body: (IndexRun) -> Result) -> Result? {
    isDamaged ? nil : opened.lend(body)
  }

  private func open() throws(RunDamage) -> IndexRun {
    let run = try IndexRun(
      try source(), salt: descriptor.salt, isMerged: true,
      cache: cache.map { ($0, descriptor.identifier) })
    guard run.header.keyCount == descriptor.keyCount else {
      throw .damaged("it has \(run.header.keyCount) keys, not \(descriptor.keyCount)")
    }
    guard descriptor.heads.map({ $0 == run.heads }) ?? true else {
      throw .damaged(Segment.misplacedKeys)
    }
    return run
  }

  private func source() throws(RunDamage) -> RunPageSource {
    do throws(FileIOError) {
      let file = try directory.openSealed(name)
      let byteCount = try file.size()
      if byteCount == descriptor.byteCount {
        let count = Int(byteCount)
        let memory = readMode == .mapped ? try file.mappedIfPossible(count: count) : nil
        return memory.map { RunPageSource(memory: $0, start: 0, byteCount: count) }
          ?? RunPageSource(file: file, start: 0, byteCount: count)
      }
    } catch {
      if error.reason != .notFound { throw .fileIO(error) }
    }
    throw .damaged("it is missing, or has not \(descriptor.byteCount) bytes")
  }
}
