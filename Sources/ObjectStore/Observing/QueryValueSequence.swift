/// What a query gives, first as it is and then after each change; see
/// ``Store/values(watching:query:)``.
///
/// For one task at a time. When a task is cancelled, the next that loops over it begins anew.
public struct QueryValueSequence<Output: Sendable>: AsyncSequence, Sendable {
  /// What the query gives.
  public typealias Element = Output
  /// What the query throws.
  public typealias Failure = any Error

  let store: WeakStore
  let lease: WatchLease
  let query: @Sendable (StoreSnapshot) throws -> Output

  /// The way through it, for one task.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, lease: lease, query: query)
  }

  /// Runs the query, then waits for a change and runs it again.
  public struct Iterator: AsyncIteratorProtocol {
    let store: WeakStore
    let lease: WatchLease
    let query: @Sendable (StoreSnapshot) throws -> Output
    private var hasBegun = false
    private var isOver = false

    init(
      store: WeakStore, lease: WatchLease,
      query: @escaping @Sendable (StoreSnapshot) throws -> Output
    ) {
      self.store = store
      self.lease = lease
      self.query = query
    }

    /// The value at first, later the next one as soon as something changed; nothing when the store
    /// was closed or let go, the task is cancelled, or the query threw before.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Output? {
      if isOver { return nil }
      isOver = true
      if hasBegun, await lease.watch.next() == nil { return nil }
      hasBegun = true
      guard !Task.isCancelled, let snapshot = store.snapshot() else { return nil }
      let value = try await Self.run(query, snapshot)
      isOver = false
      return value
    }

    /// Reads on no actor, so that nobody's screen waits for the disk.
    @concurrent
    private static func run(
      _ query: @Sendable (StoreSnapshot) throws -> Output, _ snapshot: StoreSnapshot
    ) async throws -> Output {
      try query(snapshot)
    }
  }
}
