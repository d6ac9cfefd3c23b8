/// What all handles of one directory in memory share: its files and its lock.
final class InMemoryDirectoryContents: Sendable {
  struct State {
    var files: [FileName: InMemoryFileContents] = [:]
    var writer: ObjectIdentifier?
    var readers: Set<ObjectIdentifier> = []
  }

  let state = Lock(State())
}
