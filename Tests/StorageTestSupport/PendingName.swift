/// A change of a directory that only its next synchronization makes durable.
struct PendingName: Sendable {
  enum Kind: Sendable {
    case create(String, file: Int)
    case remove(String)
    case rename(String, to: String, file: Int)
  }

  /// The place in the order of all changes of the file system.
  var sequence: Int
  var kind: Kind

  func apply(to names: inout [String: Int]) {
    switch kind {
    case .create(let name, let file): names[name] = file
    case .remove(let name): names[name] = nil
    case .rename(let source, let target, let file):
      if names[source] == file { names[source] = nil }
      names[target] = file
    }
  }
}
