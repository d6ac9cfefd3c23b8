/// A failed request to the file system: what was asked, of which file, and why it failed.
public struct FileIOError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failure that callers tell apart.
  public enum Reason: Equatable, Sendable {
    case notFound
    case alreadyExists
    case permissionDenied
    /// No space, no inode or no quota left.
    case noSpace
    /// The device reported an error, or a write or sync did not complete.
    case ioError
    /// Another process, or another handle of this one, holds the lock; its pid where known.
    case locked(holder: Int32?)
    /// Not a plain file, a symbolic link, or a file with more than one hard link.
    case notPlainFile
    /// Not a directory, or a symbolic link.
    case notDirectory
    /// The directory was moved, or removed, after it was opened.
    case moved
    case readOnlyFileSystem
    /// Too many open files: as many as this process may have, or without a limit the machine.
    case tooManyOpenFiles(limit: UInt64?)
    /// The reader at the other end of a pipe has gone.
    case brokenPipe
    /// Any other code of the operating system.
    case other(code: Int32)
  }

  /// What kind of failure it was.
  public var reason: Reason
  /// The operation in words, for example "write" or "synchronize directory".
  public var operation: String
  /// The path of the file or directory.
  public var path: String

  public init(_ reason: Reason, operation: String, path: String) {
    self.reason = reason
    self.operation = operation
    self.path = path
  }

  public var description: String { "\(operation) failed for \(path): \(reason.sentence)" }
}

extension FileIOError.Reason {
  /// What happened and what to do about it.
  public var sentence: String {
    switch self {
    case .notFound: "it does not exist"
    case .alreadyExists: "it exists already"
    case .permissionDenied: "permission was denied; check the owner and mode of the directory"
    case .noSpace: "no space is left on the device; free some and try again"
    case .ioError: "the device reported an input/output error; check the disk"
    case .locked(let holder?): "process \(holder) is using it; close it there first"
    case .locked(nil): "another process is using it; close it there first"
    case .notPlainFile:
      "it is not a plain file with one name; links and special files are not followed"
    case .notDirectory:
      "it is not a directory; links are not followed where the last part of the path is one"
    case .moved: "it was moved or removed meanwhile; open it again"
    case .readOnlyFileSystem: "the file system is mounted read-only"
    case .tooManyOpenFiles(let limit?):
      "the process has as many files open as it may, \(limit); close some, or raise the limit "
        + "(ulimit -n)"
    case .tooManyOpenFiles(nil): "the machine has as many files open as it can; close some"
    case .brokenPipe: "the reader of the pipe has gone"
    case .other(Self.fileTooLarge):
      "the file is as large as the file system, or a limit of the process (ulimit -f), lets it be"
    case .other(let code): "the operating system reported error \(code)"
    }
  }
}
