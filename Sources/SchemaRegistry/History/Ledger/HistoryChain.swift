internal import BinaryCoding

/// The hash chain over the operations of a history.
enum HistoryChain {
  /// The fingerprint of `version`, whose operations follow on `previous`; `revisions` are those of
  /// their code.
  static func fingerprint(
    of version: SchemaVersion, after previous: ShapeFingerprint,
    _ operations: some Collection<OperationDescription>, revisions: some Collection<UInt32>
  ) -> ShapeFingerprint {
    var writer = ByteWriter()
    writer.writeInteger(previous.high)
    writer.writeInteger(previous.low)
    writer.writeVariableLength(version.rawValue)
    for (operation, revision) in zip(operations, revisions) {
      writer.writeString(operation.id)
      writer.writeInteger(operation.parameterHash)
      writer.writeVariableLength(UInt64(revision))
    }
    return ShapeFingerprint(of: writer.bytes)
  }
}
