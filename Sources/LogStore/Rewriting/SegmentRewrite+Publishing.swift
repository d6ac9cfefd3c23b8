internal import FileIO

extension SegmentRewrite {
  /// Synchronizes what was written before the lock is taken, the newest commits among it: others
  /// must not wait for more than is written meanwhile.
  ///
  /// Where there are several outputs, their names, too: the last one will carry a copy of the
  /// manifest, which must not be found without the others.
  func synchronizeAhead() throws(LogError) {
    if PlantedBug.outputsUnsynchronized.isPlanted { return }
    do throws(FileIOError) {
      for output in finished { try output.writer.file.synchronize() }
    } catch {
      // No manifest lists them: where there is no room, nothing but they are in doubt.
      throw fail(error.reason == .noSpace ? .fileIO(error) : pipeline.poisoned(by: error))
    }
    do throws(FileIOError) {
      if finished.count > 1 { try pipeline.directory.synchronize() }
    } catch { throw fail(pipeline.poisoned(by: error)) }
    do throws(LogError) {
      try pipeline.waitUntilDurable(pipeline.appendedSequence())
    } catch { throw fail(error) }
  }

  /// So many replaced records are looked up under the lock at most: a millisecond or two.
  private static let settledCountMaximum = 1024

  /// Takes the lock when the watch knows all that was replaced meanwhile and the outputs' totals do
  /// not count yet, and that is little. More is counted before, and the outputs, finished, are
  /// opened for it: commits must not wait for that.
  ///
  /// It ends: each record of the inputs is replaced once. And soon: each time that all had to be
  /// counted anew, twice as much may be replaced before that is needed again, up to a bound which
  /// leaves one count for some 200,000 replaced records.
  func enterSettled(_ outputs: [Segment]) throws(LogError) {
    var areOpen = false
    while true {
      pipeline.enterSettling("publishing a compaction")
      do throws(LogError) { try pipeline.settleReplacements() } catch {
        pipeline.leave()
        throw error
      }
      let superseded = watch.superseded
      let isLittle = superseded.count <= (areOpen ? Self.settledCountMaximum : 0)
      if isLittle && !watch.isOverfull || PlantedBug.totalsNotSettled.isPlanted { return }
      let view = watch.isOverfull ? pipeline.head : nil
      // What is replaced from here on is noted anew; the view knows nothing of it.
      watch.restart()
      pipeline.leave()
      do throws(LogError) {
        if let view {
          try recount(outputs, in: view)
          // It may have taken long.
          try pipeline.waitUntilDurable(pipeline.appendedSequence())
        } else {
          try CommitPipeline.settle(superseded, in: outputs, accounts: finished.map(\.account))
        }
      } catch {
        // What was counted must not be counted again.
        throw fail(error)
      }
      areOpen = true
    }
  }

  /// Counts the records of the outputs that are live in `view`, in place of what their totals say.
  ///
  /// Costs a walk over their indexes, and the look-up of each key in ascending order.
  private func recount(_ outputs: [Segment], in view: View) throws(LogError) {
    let counted = try RewriteReading(view, inputs: outputs, areAllLive: false)
    defer { counted.forgetPages() }
    var live = SegmentTable<LiveTotals>()
    while let found = try counted.walk.next() {
      guard found.isLive, !found.value.isTombstone else { continue }
      let version = CollectionVersion(
        collection: CollectionIdentifier(found.key.collection),
        schemaVersion: found.value.schemaVersion)
      let segment = found.segment.takeUnretainedValue().identifier
      live.update(segment, from: LiveTotals()) {
        $0.add(version, byteCount: UInt64(found.value.length))
      }
    }
    for output in finished {
      output.account.descriptor.live = live[output.segment.identifier] ?? LiveTotals()
    }
  }
}
