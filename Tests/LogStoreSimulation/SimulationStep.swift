package import LogStore

/// One step of a simulated life of a store: what is asked of the log, and what fails meanwhile.
package struct SimulationStep: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    case commit([SimulatedChange], Durability)
    /// The same in a transaction, which reads what it wrote.
    case transact([SimulatedChange], Durability)
    /// A transaction whose body throws at its end.
    case abandon([SimulatedChange])
    case seal
    /// Merges the indexes of all sealed segments into one.
    case merge
    /// Rewrites the sealed segments that `mask` chooses by their places; `meanwhile` is committed
    /// when half of the records were carried over.
    case compact(mask: UInt64, meanwhile: [SimulatedChange])
    /// The same, but given up at the end.
    case cancelCompaction(mask: UInt64)
    case synchronize
    case reopen
    /// Takes a snapshot and keeps it.
    case hold
    /// Compares all kept snapshots with what they must show, and lets them go.
    case compare
  }

  package var action: Action
  package var fault: SimulatedFault?

  package init(_ action: Action, fault: SimulatedFault? = nil) {
    self.action = action
    self.fault = fault
  }

  /// The changes that the step commits.
  package var changes: [SimulatedChange] {
    get {
      switch action {
      case .commit(let changes, _), .transact(let changes, _), .abandon(let changes),
        .compact(_, let changes):
        changes
      default: []
      }
    }
    set {
      switch action {
      case .commit(_, let durability): action = .commit(newValue, durability)
      case .transact(_, let durability): action = .transact(newValue, durability)
      case .abandon: action = .abandon(newValue)
      case .compact(let mask, _): action = .compact(mask: mask, meanwhile: newValue)
      default: break
      }
    }
  }
}
