internal import BinaryCoding
internal import FileIO

extension CommitPipeline {
  /// The size at which segments are sealed now.
  func outputByteCountTarget() -> UInt64 {
    enter("a compaction")
    defer { leave() }
    return segmentByteCountTarget
  }

  /// Creates an output segment; the manifest does not know it until it is published, and its name
  /// is not durable before. Not under the lock.
  ///
  /// It has a header only. What is written behind it waits for the room of files that were removed:
  /// a file itself finds room beside them mostly, and what fills the segment takes time.
  func beginRewriteOutput(_ effort: CompressionEffort) throws(LogError) -> RewriteOutput {
    let plan = try planRewriteOutput(effort)
    let writer = try createOutput(plan)
    return RewriteOutput(activeSegment(plan, writer), waitingForRoom: unmapping)
  }

  /// Creates the file and synchronizes its header. Where there is no room for them, which some file
  /// systems find out when they synchronize, once more when removed files take none any more. A
  /// file that was not synchronized goes: no manifest lists it, so nothing else is in doubt.
  private func createOutput(
    _ plan: SegmentPlan, isLastTry: Bool = false
  ) throws(LogError) -> SegmentWriter {
    let created: SegmentWriter?
    do throws(FileIOError) {
      created = try ownership.whileHeld { () throws(FileIOError) in try create(plan) }
    } catch {
      guard !isLastTry, error.reason == .noSpace else { throw .fileIO(error) }
      unmapping.waitUntilDone()
      return try createOutput(plan, isLastTry: true)
    }
    guard let created else { throw .closed }
    do throws(FileIOError) {
      try created.file.synchronize()
      return created
    } catch {
      guard error.reason == .noSpace else { throw poisoned(by: error) }
      ownership.remove(StoreDirectory.segment(plan.header.segment))
      if isLastTry { throw .fileIO(error) }
      unmapping.waitUntilDone()
      return try createOutput(plan, isLastTry: true)
    }
  }

  private func planRewriteOutput(_ effort: CompressionEffort) throws(LogError) -> SegmentPlan {
    enter("beginning a compaction output")
    defer { leave() }
    try checkWritable()
    return plan(
      SegmentHeader(
        compatibleFlags: effort == .quick ? SegmentHeader.quickFlag : 0, store: store,
        segment: try takeIdentifier(), stream: .compaction,
        salt: configuration.randomSource.next(), predecessor: 0, predecessorHash: 0,
        firstSequence: .zero))
  }

  /// Notes that a synchronization failed outside the lock: nothing is known afterwards.
  func poisoned(by cause: FileIOError) -> LogError {
    enter("a failed synchronization")
    defer { leave() }
    if isClosed { return .closed }
    poison = poison ?? cause
    return .fileIO(cause)
  }

  /// What readers will see of finished outputs; not under the lock.
  func segments(of outputs: [ActiveSegment]) -> [Segment] {
    outputs.map { output in
      Segment(
        output.account.descriptor, store: store, directory: directory,
        readMode: configuration.readMode, dictionaries: dictionaries,
        observer: configuration.observer)
    }
  }

  /// Exchanges `inputs` for `outputs`, which readers see as `segments`. Called under the lock.
  ///
  /// The outputs are synchronized already, and the names of all but a single one, which carries
  /// the copy that names it. 1. Synchronize the active segment:
  ///    what made records of the inputs dead must be durable before they go. 2. Make the outputs'
  ///    live totals exact, which count no dead records but `superseded`. 3. Leave a copy of the
  ///    next manifest in the last output. 4. Replace the manifest, for which that output is
  ///    synchronized again, and the names of all.
  ///    5. Publish, and let the inputs go with their last reader.
  func publishRewrite(
    of inputs: [Segment], outputs: [ActiveSegment], _ segments: [Segment],
    superseded: [RewriteWatch.Superseded]
  ) throws(LogError) {
    try checkWritable()
    try synchronizeAll()
    if !PlantedBug.totalsNotSettled.isPlanted {
      try Self.settle(superseded, in: segments, accounts: outputs.map(\.account))
    }
    let gone = Set(inputs.map(\.identifier))
    var next = manifest
    next.segments.removeAll { gone.contains($0.identifier) }
    next.segments.append(contentsOf: outputs.map(\.account.descriptor))
    let carrier = try leaveCopy(of: &next, in: outputs)
    for input in inputs where PlantedBug.inputsRemovedEarly.isPlanted {
      ownership.remove(input.name)
    }
    try replaceManifest(&next, activeDescriptor: active?.account.descriptor) {
      () throws(ManifestFile.Failure) in
      if PlantedBug.outputsUnsynchronized.isPlanted { return }
      try ManifestFile.Failure.synchronizing(unlisted: carrier)
    }
    for output in outputs { accounts[output.segment.identifier] = output.account }
    accounts.removeAll(where: gone.contains)
    sealed = View.ordered(sealed.filter { !gone.contains($0.identifier) } + segments)
    publish()
    for input in inputs { input.retire(ownership) }
    shrinkReserve()
    noteCompacted(inputs, outputs: segments)
    maintainIndexes(ifAtLeast: Self.indexCountMaximum)
  }

  /// With so many indexes merging does not wait until a rewrite of many segments is over.
  private static let indexCountMaximum = 64

  /// Writes the manifest that is about to be published behind the last output; returns its file.
  private func leaveCopy(
    of next: inout Manifest, in outputs: [ActiveSegment]
  ) throws(LogError) -> any File {
    guard let carrier = outputs.last else {
      preconditionFailure("a publication needs an output that carries its manifest")
    }
    try complete(&next, activeDescriptor: active?.account.descriptor)
    let file = carrier.writer.file
    try ManifestCopy.write(next, behindFooterOf: carrier.account.descriptor, file: file)
    return file
  }

  /// Takes out of the outputs' live totals what was replaced after the rewrite began. Needs no lock
  /// before they are published.
  static func settle(
    _ superseded: [RewriteWatch.Superseded], in segments: [Segment], accounts: [SegmentAccount]
  ) throws(LogError) {
    for record in superseded {
      try record.key.withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
        let key = IndexKey(record.collection, bytes)
        let hash = RunFilter.hash(record.collection, bytes)
        for (segment, account) in zip(segments, accounts) {
          guard let value = try segment.find(key, hash: hash), value.sequence == record.sequence
          else { continue }
          if !value.isTombstone { account.countDead(record.collection, value) }
        }
      }
    }
  }
}
