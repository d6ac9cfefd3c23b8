internal import SchemaRegistry

/// Tells which objects of a type change, from when it was made; see ``Store/changes(of:)``.
///
/// For one task, or one after another: what one was told another is not.
public struct ObjectChangeSequence<Model: StorableObject>: AsyncSequence, Sendable {
  /// What changed between two turns of the loop.
  public typealias Element = ObjectChanges<Model>
  /// Nothing is thrown.
  public typealias Failure = Never

  let watch: ChangeWatch
  let rings: AsyncStream<Void>
  let keyType: FieldType

  /// The way through it, for one task.
  public func makeAsyncIterator() -> Iterator {
    Iterator(watch: watch, rings: rings.makeAsyncIterator(), keyType: keyType)
  }

  /// Waits for changes; all that were committed meanwhile come together.
  public struct Iterator: AsyncIteratorProtocol {
    let watch: ChangeWatch
    var rings: AsyncStream<Void>.Iterator
    let keyType: FieldType

    /// What changed since the last call, as soon as something did; nothing when the store was
    /// closed or let go, or the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ObjectChanges<Model>? {
      repeat {
        if let changed = watch.take() {
          return ObjectChanges(links: changed.keys.map(links))
        }
      } while await rings.next(isolation: actor) != nil
      return nil
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
