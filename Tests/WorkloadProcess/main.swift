// Runs that need a process of their own.
//
//   WorkloadProcess write STORE SEED ROUND [--without-sync]     acknowledgements on standard output
//   WorkloadProcess cut DIRECTORY FLUSH ACKNOWLEDGEMENTS        shuts the file system down; prints
//                                                               how many bytes of them came before
//   WorkloadProcess check STORE SEED ACKNOWLEDGEMENTS BYTES     checks what is left; adds a line
//   WorkloadProcess repeat DIRECTORY SEED                       stores made by the seed alone
//   WorkloadProcess series STORE COUNT                          small commits, then kills itself
//   WorkloadProcess old STORE COUNT                             objects of version 0
//   WorkloadProcess open STORE ROUNDS                           what opening old objects takes
//   WorkloadProcess migrate STORE [--buffered]                  all objects to version 5
//
// Status 0: as it should be. 1: a promise was broken. 3: writing ended with an error while the disk
// takes nothing any more. 64: wrong arguments.
import FileIO
import Foundation
import LogStore
import StorageTestSupport

func fail(_ text: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data((text + "\n").utf8))
  exit(status)
}

func check(
  _ path: String, _ seed: UInt64, _ acknowledgementPath: String, _ byteCountBeforeCut: Int
) throws {
  let text = try String(contentsOfFile: acknowledgementPath, encoding: .utf8)
  guard let before = Acknowledgement.all(in: String(text.utf8.prefix(byteCountBeforeCut)) ?? ""),
    let all = Acknowledgement.all(in: text)
  else { throw CaseFailure("\(acknowledgementPath) holds a line that is no acknowledgement") }
  var check = StoreCheck(before, afterCut: Array(all.dropFirst(before.count)))
  try check.run(path: path, seed: seed)
  // What was cut short is no acknowledgement, and must not join the next line.
  let whole = text.lastIndex(of: "\n").map { text[...$0] } ?? ""
  let next = whole + Acknowledgement.recovered(check.progress).line
  try next.write(toFile: acknowledgementPath, atomically: true, encoding: .utf8)
  print(
    check.durableCount, check.visibleCount, check.beyondCount, check.tail, check.lateCount,
    check.lateLostCount)
}

/// Whether no file can be made beside `path`, as on a file system that was shut down. What was read
/// of a store meanwhile says nothing about it; who checks it afterwards decides.
func isDiskGone(_ path: String) -> Bool {
  let probe = path + ".probe"
  defer { unlink(probe) }
  let descriptor = open(probe, O_CREAT | O_WRONLY, 0o600)
  guard descriptor >= 0 else { return errno == EIO }
  close(descriptor)
  return false
}

let words = Array(CommandLine.arguments.dropFirst())
do {
  switch (words.first, words.count) {
  case ("write", 4...5):
    guard let seed = UInt64(words[2]), let session = UInt64(words[3]) else { break }
    var writer = WriterSession(
      path: words[1], seed: seed, session: session,
      omitsSynchronization: words.last == "--without-sync")
    try writer.run(seconds: 20)
    exit(0)
  case ("check", 5):
    guard let seed = UInt64(words[2]), let byteCount = Int(words[4]) else { break }
    try check(words[1], seed, words[3], byteCount)
    exit(0)
  case ("cut", 4):
    guard let flush = UInt32(words[2]).flatMap({ PowerCut.Flush(rawValue: $0) }) else { break }
    let attributes = try FileManager.default.attributesOfItem(atPath: words[3])
    try PowerCut.run(path: words[1], flush: flush)
    print(attributes[.size] as? Int ?? 0)
    exit(0)
  case ("repeat", 3):
    guard let seed = UInt64(words[2]) else { break }
    try RepeatableRun.write(below: words[1], seed: seed, fileSystem: POSIXFileSystem())
    exit(0)
  case ("series", 3):
    guard let count = Int(words[2]) else { break }
    try CommitSeries(count: count).write(to: words[1], .mapped)
    kill(getpid(), SIGKILL)
  case ("old", 3):
    guard let count = Int(words[2]) else { break }
    try MigrationRun(path: words[1]).write(count: count)
    exit(0)
  case ("open", 3):
    guard let rounds = Int(words[2]), rounds > 0 else { break }
    try MigrationRun(path: words[1]).open(rounds: rounds)
    exit(0)
  case ("migrate", 2...3):
    try MigrationRun(path: words[1], isBuffered: words.last == "--buffered").migrate()
    exit(0)
  default: break
  }
} catch {
  fail("\(error)", status: words[0] == "write" && isDiskGone(words[1]) ? 3 : 1)
}
fail("wrong arguments: \(words)", status: 64)
