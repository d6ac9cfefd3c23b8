/// What an acknowledged write survives; the same is asked of every engine in a workload.
enum Promise: String, Codable, Sendable {
  /// The loss of power: written and synchronized before the call returns.
  case powerLoss
  /// The death of the process: handed to the operating system before the call returns.
  case processKill
}
