import FileIO
import Foundation

@testable import LogStore

/// Something that somebody did to the files of a closed store, beside which lies a precious file.
struct PathTrick: Sendable, CustomStringConvertible {
  /// Where it is done: the store, and the file outside that nobody may touch.
  struct Place {
    let store: String
    let outside: String

    func remove(_ name: String) { unlink("\(store)/\(name)") }

    func link(_ name: String, to target: String) {
      remove(name)
      symlink(target, "\(store)/\(name)")
    }

    func hardLink(_ name: String, to target: String) {
      remove(name)
      Foundation.link(target, "\(store)/\(name)")
    }

    func pipe(_ name: String) {
      remove(name)
      mkfifo("\(store)/\(name)", 0o600)
    }

    func directory(_ name: String) {
      remove(name)
      mkdir("\(store)/\(name)", 0o700)
    }

    /// Moves the store's own file outside and puts a link in its place.
    func moveOut(_ name: String) {
      rename("\(store)/\(name)", "\(store).\(name)")
      symlink("\(store).\(name)", "\(store)/\(name)")
    }
  }

  enum Outcome: Sendable {
    /// Opening or reading throws a typed error.
    case refused
    /// Everything works.
    case harmless
    /// Everything can be read; writing works or throws a typed error.
    case readable
  }

  let description: String
  let outcome: Outcome
  let play: @Sendable (Place) -> Void

  init(
    _ description: String, _ outcome: Outcome, _ play: @escaping @Sendable (Place) -> Void
  ) {
    self.description = description
    self.outcome = outcome
    self.play = play
  }

  private static let first = "segment-00000001.log"
  /// What the next writer would create.
  private static let next = "segment-00000004.log"

  static let all = [
    PathTrick("the manifest is a symbolic link to itself, moved out", .refused) {
      $0.moveOut("MANIFEST")
    },
    PathTrick("the manifest is a symbolic link to another file", .refused) {
      $0.link("MANIFEST", to: $0.outside)
    },
    PathTrick("the manifest is a dangling symbolic link", .refused) {
      $0.link("MANIFEST", to: "missing")
    },
    PathTrick("the manifest is a symbolic link to itself", .refused) {
      $0.link("MANIFEST", to: "MANIFEST")
    },
    PathTrick("the manifest has a second hard link", .refused) {
      Foundation.link("\($0.store)/MANIFEST", "\($0.store).link")
    },
    PathTrick("the manifest is a hard link of another file", .refused) {
      $0.hardLink("MANIFEST", to: $0.outside)
    },
    PathTrick("the manifest is a pipe", .refused) { $0.pipe("MANIFEST") },
    PathTrick("the manifest is a directory", .refused) { $0.directory("MANIFEST") },
    PathTrick("a segment is a symbolic link to itself, moved out", .refused) {
      $0.moveOut(first)
    },
    PathTrick("a segment is a symbolic link to another file", .refused) {
      $0.link(first, to: $0.outside)
    },
    PathTrick("a segment has a second hard link", .refused) {
      Foundation.link("\($0.store)/\(first)", "\($0.store).link")
    },
    PathTrick("a segment is a pipe", .refused) { $0.pipe(first) },
    PathTrick("a segment is a directory", .refused) { $0.directory(first) },
    PathTrick("a segment is a symbolic link to another segment", .refused) {
      $0.link(first, to: "segment-00000002.log")
    },
    PathTrick("the next segment is a symbolic link to another file", .harmless) {
      $0.link(next, to: $0.outside)
    },
    PathTrick("the next segment is a dangling symbolic link outwards", .harmless) {
      $0.link(next, to: "\($0.store).made")
    },
    PathTrick("the next segment is a hard link of another file", .harmless) {
      $0.hardLink(next, to: $0.outside)
    },
    PathTrick("the next segment is a pipe", .harmless) { $0.pipe(next) },
    PathTrick("the next manifest is a symbolic link to another file", .harmless) {
      $0.link("MANIFEST.new", to: $0.outside)
    },
    PathTrick("the next manifest is a hard link of another file", .harmless) {
      $0.hardLink("MANIFEST.new", to: $0.outside)
    },
    PathTrick("the next manifest is a pipe", .harmless) { $0.pipe("MANIFEST.new") },
    PathTrick("the next manifest is a directory", .readable) { $0.directory("MANIFEST.new") },
    PathTrick("the reserve is a symbolic link to another file", .harmless) {
      $0.link("RESERVE", to: $0.outside)
    },
    PathTrick("the reserve is a hard link of another file", .harmless) {
      $0.hardLink("RESERVE", to: $0.outside)
    },
    PathTrick("the reserve is a pipe", .harmless) { $0.pipe("RESERVE") },
    PathTrick("names that are no file names lie in the directory", .harmless) {
      for name in ["..x", "a\nb", "segment-0000000G.log", "segment-..log", "-rf", "MANIFEST "] {
        $0.directory(name)
      }
    },
    PathTrick("a leftover's name is a symbolic link to another file", .harmless) {
      $0.link("segment-00000000.log", to: $0.outside)
    },
  ]
}
