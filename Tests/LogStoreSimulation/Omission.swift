/// What a careless store does with the file system; each loses data that careful ones keep.
package enum Omission: String, Sendable, CaseIterable {
  /// Names are never made durable.
  case noDirectorySynchronization
  /// Commits are acknowledged before their segment is synchronized.
  case noSegmentSynchronization
  /// The manifest is renamed before its bytes are durable.
  case renameBeforeSynchronization
  /// The old manifest is removed before the new one takes its name.
  case removeBeforeRename
  /// A failed synchronization is tried again, and that is believed.
  case synchronizationTriedAgain
  /// A failed synchronization is passed over.
  case failedSynchronizationIgnored
  /// A write that stored a part of its bytes is taken for a whole one.
  case shortWriteIgnored
  /// Of some writes only the beginning is written, and they are taken for whole ones.
  case lastPartForgotten
  /// Truncation cuts at a sector.
  case truncatedTooShort
  /// A read that fails is taken for the end of the file.
  case readErrorTakenForEnd
  /// A file is synchronized once; what is appended later is not.
  case synchronizedOnlyOnce
}
