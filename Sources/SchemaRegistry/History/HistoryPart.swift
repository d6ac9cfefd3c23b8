/// A part of a history: its base or one of its versions.
public enum HistoryPart: Sendable {
  case base(Base)
  case version(Version)
}
