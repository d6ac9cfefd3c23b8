internal import FileIO

/// What a rewrite reads; while it is held, nothing of that goes. Used by one thread.
///
/// A class, as it is used for each record.
final class RewriteReading {
  let view: View
  let inputs: [Segment]
  /// Sealed segments that are not rewritten.
  let others: [Segment]
  let walk: RewriteWalk
  /// Those of them whose index cannot be read: none is asked again for each key.
  private var silent: Set<SegmentIdentifier> = []

  init(_ view: View, inputs: [Segment], areAllLive: Bool) throws(LogError) {
    self.view = view
    self.inputs = inputs
    let names = Set(inputs.map(\.identifier))
    others = view.sealed.filter { !names.contains($0.identifier) }
    walk = try RewriteWalk(view, inputs: inputs, areAllLive: areAllLive)
  }

  /// A segment that is not rewritten and holds an older record of the key, or cannot tell: what is
  /// damaged, or lies in a bad place of the disk, may hold anything. To keep what hides it is never
  /// wrong.
  ///
  /// Filters say of one key in eighty that it is there, and say so each time, so each yes is looked
  /// up.
  func other(holding key: IndexKey, before sequence: CommitSequence) throws(LogError) -> Segment? {
    let hash = RunFilter.hash(CollectionIdentifier(key.collection), key.buffer)
    for segment in others where segment.minimumSequence < sequence {
      if silent.contains(segment.identifier) { return segment }
      do throws(LogError) {
        if try segment.run().mayContain(key, hash: hash),
          try segment.find(key, hash: hash) != nil
        {
          return segment
        }
      } catch {
        guard error.damage != nil else { throw error }
        silent.insert(segment.identifier)
        return segment
      }
    }
    return nil
  }

  /// What may go with the reading.
  var mappings: [MappedBytes] {
    inputs.compactMap(\.mapping) + view.beneath.runs.compactMap(\.mapping)
  }

  /// Gives back the memory of the merged indexes, if they are large: each step asks another part
  /// of them, and mapped they would all be in memory in the end. Giving it back interrupts each
  /// processor that runs the program, once for each index.
  func forgetPages() {
    let runs = view.beneath.runs
    guard runs.reduce(0, { $0 + $1.descriptor.byteCount }) > Self.indexByteCountInMemory else {
      return
    }
    for run in runs { run.forgetPages() }
  }

  private static let indexByteCountInMemory: UInt64 = 8 << 20
}
