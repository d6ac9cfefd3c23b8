public import LogStore

extension Store {
  /// Goes to the newest state when another process or handle writes the store; returns the sequence
  /// of the newest record it shows.
  ///
  /// A store that is opened for reading only, beside a writer or so that it admits one, shows the
  /// state in which it was opened until then; so does every `Store` that stands for it. Reads what
  /// was appended since and the catalog, and opens segments that are new. What another version of
  /// the app, or other models, added is compared with the models and the history as at opening; the
  /// migration block of a configuration may be called for it. Snapshots that were taken before stay
  /// as they are. Does nothing for a store that has the lock: nobody else can change that.
  ///
  /// On any thread, but not in the body of a write nor in a migration block. Snapshots taken
  /// meanwhile show the state before or the newest one.
  /// - Throws: what opening the store as it is now would throw, among it
  ///   ``SchemaError/storeIsNewer(stored:requested:)`` and ``LogError/storeIsBusy(path:)``, and
  ///   ``LogError/closed``; snapshots show the state before from then on, too. Where the store was
  ///   moved or removed, as when another process archives it, ``LogError/fileIO(_:)`` with reason
  ///   `.moved`: open it again.
  @discardableResult
  public func refresh() throws(StoreError) -> CommitSequence { try reading.refresh(log) }
}
