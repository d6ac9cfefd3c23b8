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

  /// Where copies are made, beside where they will be: a name that nobody gives to a store.
  static let stagingName = ".logstore-copying"

  /// Copies the store at `source` to `target`, which appears there complete and durable or not at
  /// all. Where another process copies to the same place, it is waited for, ten minutes at most,
  /// and its copy taken. Nobody writes the source meanwhile.
  ///
  /// - Throws: `LogError.storeIsInUse` when somebody writes the source,
  ///   ``StoreError/copyFailed(path:reason:)``.
  static func copy(from source: String, to target: String) throws(StoreError) {
    let files = FileManager.default
    let parent = parent(of: target)
    let staging = "\(parent)/\(stagingName)"
    do {
      // The lock goes with the process, so what is staged is never somebody else's.
      // With the dot, a link is followed there.
      let place = try POSIXFileSystem().openDirectory(at: parent + "/.", create: false)
      try lock(place)
      defer { place.unlock() }
      // What a killed process left, of this copy or of another one beside it.
      if files.fileExists(atPath: staging) { try files.removeItem(atPath: staging) }
      guard isVacant(target) else { return }
      do { try copyStore(source, to: staging) } catch {
        // What is left of it only takes room.
        try? files.removeItem(atPath: staging)
        throw error
      }
      try POSIXFileSystem().moveDirectory(at: staging, to: target)
      try place.synchronize()
    } catch let error as StoreError { throw error } catch {
      throw .copyFailed(path: source, reason: "\(error)")
    }
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

  /// Copies what a store's manifest lists to a new directory, and makes it durable: whatever the
  /// rights of a seed are, and whatever links lead to it and its files, the copy is ours alone.
  private static func copyStore(_ source: String, to target: String) throws {
    let seed = URL(filePath: source).resolvingSymlinksInPath()
    let locked: any Directory
    do throws(LogError) { locked = try POSIXFileSystem().lockedStore(at: seed.path) } catch {
      guard case .storeIsInUse(_, let holder) = error else { throw error }
      throw StoreError.log(.storeIsInUse(path: source, holder: holder))
    }
    defer { locked.unlock() }
    let directory = try POSIXFileSystem().openDirectory(at: target, create: true)
    let isStore = try copyFile(StoreDirectory.manifest, of: seed, to: directory)
    // What opens must not be less than the seed: the app would never look for that again.
    guard isStore else { throw notWhole(source, "it has no \(StoreDirectory.manifest)") }
    do {
      for name in try Log.files(in: directory) { try copyFile(name, of: seed, to: directory) }
      try Log.checkWhole(in: directory)
    } catch let error as LogError { throw notWhole(source, "\(error)") }
    // Many copies are made of a seed, and the backup of one is none of another.
    try Log.beginLineage(in: directory)
    try directory.synchronize()
  }

  private static func notWhole(_ source: String, _ reason: String) -> StoreError {
    .copyFailed(
      path: source,
      reason:
        "what lies there is not a whole store (\(reason)); give the directory of a store that "
        + "was closed, or of a finished backup")
  }

  /// Copies a file, and synchronizes the copy; false where there is none.
  @discardableResult
  private static func copyFile(
    _ name: FileName, of seed: URL, to directory: any Directory
  ) throws -> Bool {
    let files = FileManager.default
    let file = seed.appending(path: name.description).resolvingSymlinksInPath().path
    guard files.fileExists(atPath: file),
      try files.attributesOfItem(atPath: file)[.type] as? FileAttributeType == .typeRegular
    else { return false }
    let copy = "\(directory.path)/\(name)"
    try files.copyItem(atPath: file, toPath: copy)
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
    try directory.open(name, .read).synchronize()
    return true
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
