/// What an acknowledged commit survives.
public enum Durability: Sendable, Hashable {
  /// Survives the loss of power: written and synchronized before the call returns. The default.
  case full
  /// Survives the death of the process, not of the machine: written, synchronized later.
  case process
}
