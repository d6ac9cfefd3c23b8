internal import ArgumentParser
internal import ObjectStore

/// A policy that can be asked for by name.
enum PolicyName: String, ExpressibleByArgument, CaseIterable, Sendable {
  case everything
  case costBenefit
  case greedy

  var policy: CompactionPolicy {
    switch self {
    case .everything: .everything
    case .costBenefit: .costBenefit
    case .greedy: .greedy
    }
  }
}
