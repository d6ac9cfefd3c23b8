/// The smallest part of the pending changes that reaches the disk, or not, on its own.
struct PendingUnit: Sendable {
  enum Target: Sendable {
    case name(directory: String, change: Int)
    case size(file: Int, to: Int, fillsWithZeros: Bool)
    case sector(file: Int, change: Int, index: Int)
  }

  var sequence: Int
  var part: Int
  var target: Target

  var isName: Bool { if case .name = target { true } else { false } }
}
