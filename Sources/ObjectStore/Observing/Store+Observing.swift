internal import SchemaRegistry

extension Store {
  /// Tells which objects of a type are put or deleted from now on, by any thread of this process.
  ///
  ///     let changes = try store.changes(of: Book.self)
  ///     var books = try store.read { snapshot in try snapshot.objects(Book.self).all() }
  ///     for await change in changes { … }
  ///
  /// Watching begins with the call, not with the loop: what is read after it, and every change that
  /// is told, leave no gap. A change is told when it is committed as its write asked for, just
  /// before ``write(durability:_:)`` returns; a snapshot that is taken then shows it. All commits
  /// since the last turn of the loop come together, so a slow one holds nobody up, and its memory
  /// is bounded. An object may be told that was put as it was, and, where its type has no index, a
  /// key that was deleted and had no object: a deletion does not look for it there. Neither
  /// migrations nor compaction change objects.
  ///
  /// Commits of another process are not told; after a ``refresh()`` that shows some, any object may
  /// have changed. While nobody watches a type, writes pay nothing for it; else they keep the keys
  /// of its objects. It ends when the store is closed or let go.
  /// - Throws: ``StoreError/unregisteredModel(type:)``.
  public func changes<Model: StorableObject>(
    of model: Model.Type
  ) throws(StoreError) -> ObjectChangeSequence<Model> {
    let shape = try bindings.binding(of: model).shape
    let lease = reading.watches.add([shape.identity], keepsKeys: true)
    return ObjectChangeSequence(lease: lease, keyType: shape.keyType)
  }

  /// Gives what `query` finds now, and again whenever objects of one of the types were put or
  /// deleted.
  ///
  ///     let counts = try store.values(watching: Book.self) { snapshot in
  ///       try snapshot.count(Book.self)
  ///     }
  ///     for try await count in counts { … }
  ///
  /// Name every type that `query` reads. It runs on no actor, once for all that was committed since
  /// the last turn of the loop, and may give the same value again. What is told, and when, is as
  /// with ``changes(of:)``, but that writes keep no keys. It ends when the store is closed or let
  /// go, which it does not hinder, and when `query` throws.
  /// - Throws: ``StoreError/unregisteredModel(type:)``; the loop throws what `query` does.
  public func values<Output: Sendable>(
    watching models: any StorableObject.Type...,
    query: @escaping @Sendable (StoreSnapshot) throws -> Output
  ) throws(StoreError) -> QueryValueSequence<Output> {
    var types: Set<TypeIdentity> = []
    for model in models {
      guard let binding = bindings.known(ObjectIdentifier(model)) else {
        throw bindings.unregistered(model)
      }
      types.insert(binding.shape.identity)
    }
    guard !types.isEmpty else { fatalError("a query must name the types that it reads") }
    let lease = reading.watches.add(types, keepsKeys: false)
    return QueryValueSequence(store: WeakStore(self), lease: lease, query: query)
  }
}
