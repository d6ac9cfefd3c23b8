internal import BinaryCoding

/// Which writers a store has had; bytes may be anything.
extension Manifest {
  /// As many are listed; older ones are forgotten.
  static let sessionMaximum = 256

  /// Lists the session of the writer that puts this manifest in force, once.
  mutating func note(_ session: WriterSession) {
    guard sessions.last?.identifier != session.identifier else { return }
    sessions.append(session)
    sessions.removeFirst(max(0, sessions.count - Self.sessionMaximum))
  }

  /// False where it is certain that a store with these sessions never was in a state in which it
  /// had `earlier`, and commits up to `last`: it was set back behind that state by its files, or
  /// stems from a copy that was made before.
  ///
  /// Behind the last session that both have, those of `earlier` must have committed nothing, and
  /// the store's must have begun with all of it. What began before the first session that is
  /// listed is not known: without one that both have, that one must have begun with all of it. So
  /// must it where `earlier` lists none, as what older versions of the library wrote.
  func hasHad(_ earlier: [WriterSession], upTo last: CommitSequence) -> Bool {
    guard let first = sessions.first else { return true }
    guard let shared = earlier.lastIndex(where: sessions.contains),
      let position = sessions.lastIndex(of: earlier[shared])
    else { return last <= first.start }
    return [earlier[(shared + 1)...].first, sessions[(position + 1)...].first]
      .allSatisfy { next in next.map { last <= $0.start } ?? true }
  }

  func encodeSessions(to body: inout ByteWriter) {
    body.writeVariableLength(UInt64(sessions.count))
    var before = CommitSequence.zero
    for session in sessions {
      body.writeInteger(session.identifier)
      body.writeVariableLength(session.start.rawValue - before.rawValue)
      before = session.start
    }
  }

  /// Reads them into a manifest whose last sequence was read.
  mutating func decodeSessions(_ reader: inout ByteReader) throws(BinaryDecodingError) {
    let count = try reader.readVariableLength(as: Int.self)
    guard (1...Self.sessionMaximum).contains(count) else {
      throw .invalidValue(offset: reader.offset, reason: "\(count) sessions of writers")
    }
    var start = CommitSequence.zero
    for _ in 0..<count {
      let identifier: UInt64 = try reader.readInteger()
      let commits = try reader.readVariableLength()
      guard commits <= lastSequence.rawValue - start.rawValue else {
        throw .invalidValue(offset: reader.offset, reason: "a session begins above the last commit")
      }
      start = CommitSequence(start.rawValue + commits)
      sessions.append(WriterSession(identifier: identifier, start: start))
    }
  }
}
