internal import FileIO

extension CommitPipeline {
  /// Notes the user segments that `next` lists no more, for the next backup; before that is in
  /// force. Called under the lock.
  ///
  /// Nothing of the store depends on it, so what fails is tried again with the next manifest, and
  /// nothing is written while the last room of a disk is needed for the store itself: the file is
  /// made when the manifest is in force, and the room of what it does not list is about to be free.
  func noteReplaced(by next: Manifest) {
    let listed = Set(next.segments.map(\.identifier))
    var gone = manifest.segments
      .filter { $0.stream == .user && !listed.contains($0.identifier) }
      .map { ReplacedSegment($0, lastSequence: lastSequence) }
    // Earlier versions noted nothing, and from here on the manifest does not name it either.
    if next.lastUserSegment != manifest.lastUserSegment { gone += unlistedLastSegment }
    unnotedSegments.note(gone)
    writeReplaced(mayCreate: false)
  }

  /// Writes down what is not noted on disk; without `mayCreate` only where something is.
  func writeReplaced(mayCreate: Bool) {
    guard !unnotedSegments.segments.isEmpty, !reserve.isGivenUp else { return }
    do {
      let found = try ReplacedSegments.read(in: directory, of: store)
      guard mayCreate || found != nil else { return }
      var noted = found?.isDamaged == true ? ReplacedSegments() : found ?? ReplacedSegments()
      noted.note(unnotedSegments.segments)
      if noted != found { try noted.write(in: directory, of: store) }
      unnotedSegments = ReplacedSegments()
    } catch {}
  }

  /// The last user segment where the manifest does not list it.
  private var unlistedLastSegment: [ReplacedSegment] {
    let last = manifest.lastUserSegment
    guard last != 0, !manifest.segments.contains(where: { $0.identifier.rawValue == last }) else {
      return []
    }
    return [
      ReplacedSegment(
        identifier: SegmentIdentifier(last), salt: 0, closingHash: manifest.lastUserHash,
        end: manifest.lastSequence)
    ]
  }

  /// All that was noted; nothing where nothing was.
  func replacedSegments(unnoted: ReplacedSegments) throws(LogError) -> ReplacedSegments? {
    let noted = try ReplacedSegments.read(in: directory, of: store)
    guard !unnoted.segments.isEmpty else { return noted }
    var all = noted ?? ReplacedSegments()
    all.note(unnoted.segments)
    return all
  }
}
