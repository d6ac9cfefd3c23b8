internal import FileIO
internal import LogStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Copies and moves whole stores that nobody writes.
enum StoreCopy {
  /// Whether nothing is at `path`, or a directory without anything in it.
  static func isVacant(_ path: String) -> Bool {
    let files = FileManager.default
    guard files.fileExists(atPath: path) else { return true }
    return (try? files.contentsOfDirectory(atPath: path).isEmpty) ?? false
  }

  /// Copies the store at `source` to `target`, which appears there complete and durable or not at
  /// all. Where another process copies to the same place, it is waited for, ten minutes at most,
  /// and its copy taken.
  static func copy(from source: String, to target: String) throws(StoreError) {
    let files = FileManager.default
    let staging = target + ".copying"
    do {
      // The lock goes with the process, so what is staged is never somebody else's.
      // With the dot, a link is followed there.
      let place = try POSIXFileSystem().openDirectory(
        at: parent(of: target) + "/.", create: false)
      try lock(place)
      defer { place.unlock() }
      guard isVacant(target) else { return }
      if files.fileExists(atPath: staging) { try files.removeItem(atPath: staging) }
      try copyFiles(of: source, to: staging)
      try POSIXFileSystem().moveDirectory(at: staging, to: target)
      try place.synchronize()
    } catch { throw .copyFailed(path: source, reason: "\(error)") }
  }

  /// Takes the directory's lock, as soon as nobody else has it, who copies a seed.
  private static func lock(_ directory: any Directory) throws {
    let end = ContinuousClock.now + .seconds(600)
    let pause = Monitor()
    while true {
      do throws(FileIOError) { return try directory.lock(.exclusive) } catch {
        guard case .locked = error.reason, ContinuousClock.now < end else { throw error }
      }
      pause.enter()
      pause.wait(milliseconds: 10)
      pause.leave()
    }
  }

  /// Copies the files of a directory to a new one, and makes them durable: whatever the rights of a
  /// seed are, and whatever links lead to it and its files, the copy is ours alone.
  private static func copyFiles(of source: String, to target: String) throws {
    let files = FileManager.default
    let seed = URL(filePath: source).resolvingSymlinksInPath()
    let directory = try POSIXFileSystem().openDirectory(at: target, create: true)
    var count = 0
    for text in try files.contentsOfDirectory(atPath: seed.path) {
      let file = seed.appending(path: text).resolvingSymlinksInPath().path
      // What is no file is no part of a store.
      guard let name = FileName(text),
        try files.attributesOfItem(atPath: file)[.type] as? FileAttributeType == .typeRegular
      else { continue }
      let copy = "\(target)/\(text)"
      try files.copyItem(atPath: file, toPath: copy)
      try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
      try directory.open(name, .read).synchronize()
      count += 1
    }
    // Else the app would go on with an empty store, and never look for the seed again.
    guard count > 0 else { throw LogError.storeNotFound(path: source) }
    // Many copies are made of a seed, and the backup of one is none of another.
    try Log.beginLineage(in: directory)
    try directory.synchronize()
  }

  private static func parent(of path: String) -> String {
    URL(filePath: path).deletingLastPathComponent().path
  }

  /// Gives the store at `path` the first free name that ends in `.archived` and a number.
  static func setAside(_ path: String) throws(StoreError) {
    var number = 1
    while FileManager.default.fileExists(atPath: "\(path).archived\(number)") { number += 1 }
    do {
      try FileManager.default.moveItem(atPath: path, toPath: "\(path).archived\(number)")
    } catch { throw .copyFailed(path: path, reason: "\(error)") }
  }
}
