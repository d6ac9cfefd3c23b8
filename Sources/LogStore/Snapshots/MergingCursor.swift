internal import BinaryCoding

/// Walks several indexes as one, in key order; of equal keys only the newest is shown.
///
/// A binary heap over the sources, ordered by key and then by descending sequence. Memory is one
/// decoded page per run. Used by one thread; whoever uses it keeps the view alive.
final class MergingCursor {
  /// Where a record comes from.
  enum Origin {
    /// Changes of the transaction that reads.
    case overlay
    case segment(Segment)
  }

  private enum Source {
    case table(TableCursor)
    case run(RunCursor)
  }

  private struct Stream {
    var source: Source
    let origin: Origin
    var key: IndexKey
    var value: IndexValue
  }

  private var streams: [Stream] = []
  private var heap: [Int] = []
  /// The key that is being left.
  private var last: [UInt8] = []

  /// Starts at the first key not below `start`; `overlay` hides everything beneath it.
  init(
    view: View, overlay: TableCursor?, sealed: [Segment], includesTable: Bool = true,
    from start: IndexKey?
  ) throws(LogError) {
    if let overlay { add(.table(overlay), .overlay) }
    if includesTable, let active = view.active {
      add(.table(view.table.cursor(from: start)), .segment(active))
    }
    for segment in sealed {
      add(.run(try Self.cursor(segment, from: start)), .segment(segment))
    }
    for position in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(position) }
  }

  private static func cursor(_ segment: Segment, from start: IndexKey?) throws(LogError)
    -> RunCursor
  {
    do throws(RunDamage) {
      return try RunCursor(try segment.runForCursor(), from: start)
    } catch .fileIO(let cause) {
      throw .fileIO(cause)
    } catch {
      let rebuilt = try segment.rebuildRun()
      do throws(RunDamage) {
        return try RunCursor(rebuilt, from: start)
      } catch { preconditionFailure("a rebuilt run must be readable: \(error)") }
    }
  }

  /// The newest record of the smallest key not shown yet; key and value are valid until `advance`.
  var current: (key: IndexKey, value: IndexValue, origin: Origin)? {
    guard let first = heap.first else { return nil }
    let stream = streams[first]
    return (stream.key, stream.value, stream.origin)
  }

  /// Moves past the current key in all sources.
  ///
  /// After an error the walk is over: an index that cannot be read hides what comes next, and an
  /// older record must not be shown in its place.
  func advance() throws(LogError) {
    guard let first = heap.first else { return }
    let key = streams[first].key
    last.removeAll(keepingCapacity: true)
    last.append(contentsOf: key.buffer)
    let collection = CollectionIdentifier(key.collection)
    do throws(LogError) {
      repeat { try step(collection) } while isAtLast(collection)
    } catch {
      heap = []
      throw error
    }
  }

  /// Whether the first source stands on the key that is being left.
  private func isAtLast(_ collection: CollectionIdentifier) -> Bool {
    guard let first = heap.first else { return false }
    return last.withBytes {
      IndexKey.compare(streams[first].key, IndexKey(collection, $0)) == 0
    }
  }

  private func add(_ source: Source, _ origin: Origin) {
    let current =
      switch source {
      case .table(let cursor): cursor.current
      case .run(let cursor): cursor.current
      }
    guard let current else { return }
    heap.append(streams.count)
    streams.append(
      Stream(source: source, origin: origin, key: current.key, value: current.value))
  }

  /// Advances the first source and restores the heap.
  private func step(_ collection: CollectionIdentifier) throws(LogError) {
    let index = heap[0]
    let current: (key: IndexKey, value: IndexValue)?
    switch streams[index].source {
    case .table(var cursor):
      cursor.advance()
      current = cursor.current
      streams[index].source = .table(cursor)
    case .run(var cursor):
      do throws(RunDamage) {
        try cursor.advance()
      } catch {
        cursor = try rebuiltCursor(error, streams[index].origin, collection)
        streams[index].source = .run(cursor)
      }
      current = cursor.current
    }
    if let current {
      streams[index].key = current.key
      streams[index].value = current.value
    } else {
      heap[0] = heap[heap.count - 1]
      heap.removeLast()
    }
    if !heap.isEmpty { sink(0) }
  }

  /// A cursor behind the key that is being left, over an index made of the segment's records in
  /// place of one that turned out damaged.
  private func rebuiltCursor(
    _ error: RunDamage, _ origin: Origin, _ collection: CollectionIdentifier
  ) throws(LogError) -> RunCursor {
    if case .fileIO(let cause) = error { throw .fileIO(cause) }
    guard case .segment(let segment) = origin else {
      preconditionFailure("a table in memory cannot be damaged")
    }
    let run = try segment.rebuildRun()
    do throws(RunDamage) {
      return try last.withBytes { (bytes: UnsafeRawBufferPointer) throws(RunDamage) in
        let key = IndexKey(collection, bytes)
        let cursor = try RunCursor(run, from: key)
        if let current = cursor.current, IndexKey.compare(current.key, key) == 0 {
          try cursor.advance()
        }
        return cursor
      }
    } catch { preconditionFailure("a rebuilt run must be readable: \(error)") }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    let order = IndexKey.compare(streams[left].key, streams[right].key)
    if order != 0 { return order < 0 }
    // The overlay is always newest; then the higher sequence; of equal ones the later segment.
    switch (streams[left].origin, streams[right].origin) {
    case (.overlay, _): return true
    case (_, .overlay): return false
    case (.segment(let a), .segment(let b)):
      let first = (streams[left].value.sequence, a.identifier)
      return first > (streams[right].value.sequence, b.identifier)
    }
  }

  private func sink(_ start: Int) {
    var position = start
    while true {
      let left = 2 * position + 1
      guard left < heap.count else { return }
      let right = left + 1
      var smallest = left
      if right < heap.count, precedes(heap[right], heap[left]) { smallest = right }
      guard precedes(heap[smallest], heap[position]) else { return }
      heap.swapAt(smallest, position)
      position = smallest
    }
  }
}

extension Segment {
  /// The run, with errors of the log turned to damage only where the records can rebuild it.
  fileprivate func runForCursor() throws(RunDamage) -> IndexRun {
    do throws(LogError) {
      return try run()
    } catch .fileIO(let cause) {
      throw .fileIO(cause)
    } catch {
      throw .damaged("\(error)")
    }
  }
}
