/// One of the ways a run can end.
package enum CrashChoice: Hashable, Sendable, CustomStringConvertible {
  /// The process ends, the operating system goes on: every completed call took effect.
  case processKill
  /// The power fails: synchronized bytes and names survive, of the rest only `survivors`.
  case powerLoss(survivors: SurvivorSet, fill: Fill)

  /// What lies where a file grew and the new bytes never arrived.
  package enum Fill: Hashable, Sendable {
    case zeros
    /// Old contents of other files, as file systems without ordered data leave them.
    case garbage(seed: UInt64)
  }

  package var description: String {
    switch self {
    case .processKill: "process kill"
    case .powerLoss(let survivors, let fill): "power loss keeping [\(survivors)] over \(fill)"
    }
  }
}
