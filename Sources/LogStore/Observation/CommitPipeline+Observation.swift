/// What the writer counts and tells; called under the lock.
extension CommitPipeline {
  /// Commits were appended.
  func noteCommitted(_ size: GroupSize) {
    activity.commitCount.addAlone(size.commitCount)
    activity.groupCount.addAlone(1)
    activity.recordCount.addAlone(size.recordCount)
    activity.recordByteCount.addAlone(size.recordByteCount)
    configuration.observer?.observe(
      .committed(
        commitCount: size.commitCount, recordCount: size.recordCount,
        byteCount: size.recordByteCount))
  }

  /// A transaction was committed that had segments of its own; its parts count as one write.
  func noteSpilled(_ spill: TransactionSpill, after before: CommitSequence) {
    let recordCount = Int(spill.lastSequence.rawValue - before.rawValue)
    activity.commitCount.addAlone(1)
    activity.groupCount.addAlone(1)
    activity.recordCount.addAlone(recordCount)
    activity.recordByteCount.addAlone(spill.recordByteCount)
    configuration.observer?.observe(
      .committed(commitCount: 1, recordCount: recordCount, byteCount: spill.recordByteCount))
    for segment in spill.sealed { noteSealed(segment) }
  }

  /// A segment is sealed, and the manifest says so.
  func noteSealed(_ segment: Segment) {
    activity.sealCount.add(1)
    configuration.observer?.observe(
      .sealed(segment.identifier, byteCount: segment.dataEnd ?? 0))
  }

  /// A compaction is published.
  func noteCompacted(_ inputs: [Segment], outputs: [Segment]) {
    let before = inputs.reduce(0) { $0 + ($1.dataEnd ?? 0) }
    let after = outputs.reduce(0) { $0 + ($1.dataEnd ?? 0) }
    activity.compactionCount.add(1)
    activity.compactionByteCount.add(after)
    configuration.observer?.observe(
      .compacted(
        inputCount: inputs.count, outputCount: outputs.count, byteCountBefore: before,
        byteCountAfter: after))
  }
}
