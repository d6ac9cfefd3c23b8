internal import SchemaRegistry

/// Tells which objects of a type change, from when it was made; see ``Store/changes(of:)``.
///
/// For one task at a time: what one was told another is not. When a task is cancelled, the next
/// that loops over it goes on.
public struct ObjectChangeSequence<Model: StorableObject>: AsyncSequence, Sendable {
  /// What changed between two turns of the loop.
  public typealias Element = ObjectChanges<Model>
  /// Nothing is thrown.
  public typealias Failure = Never

  let lease: WatchLease
  let keyType: FieldType

  /// The way through it, for one task.
  public func makeAsyncIterator() -> Iterator {
    Iterator(lease: lease, keyType: keyType)
  }

  /// Waits for changes; all that were committed meanwhile come together.
  public struct Iterator: AsyncIteratorProtocol {
    let lease: WatchLease
    let keyType: FieldType

    /// What changed since the last call, as soon as something did; nothing when the store was
    /// closed or let go, or the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ObjectChanges<Model>? {
      await lease.watch.next().map { changed in ObjectChanges(links: changed.keys.map(links)) }
    }

    private func links(_ keys: Set<[UInt8]>) -> Set<Link<Model>> {
      Set(
        keys.lazy.map { key in
          do throws(SchemaError) {
            return Link(stored: try KeyCoding.decode(key, as: keyType))
          } catch { preconditionFailure("a key that was written must be one: \(error)") }
        })
    }
  }
}
