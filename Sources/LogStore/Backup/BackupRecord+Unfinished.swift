internal import FileIO

extension BackupRecord {
  /// Throws where `directory`, whose manifest is missing, may hold a copy that was not finished.
  ///
  /// The manifest of a copy is put in place last. Without it some of the segments may be there that
  /// were to be copied, and they look like a whole store whose manifest was lost: it must not be
  /// rebuilt. `missing` is the damage that is reported where nothing tells.
  ///
  /// - Throws: ``LogError/unfinishedCopy(path:)``, ``LogError/corruption(_:)`` when the record is
  ///   damaged, ``LogError/fileIO(_:)``.
  static func checkFinished(
    in directory: any Directory, _ missing: CorruptionReport
  ) throws(LogError) {
    let record: BackupRecord?
    do throws(LogError) { record = try read(in: directory) } catch {
      guard let own = error.damage else { throw error }
      var damage = missing
      damage.reason +=
        "; \(own.file) is damaged (\(own.reason)), so nothing tells whether what lies there is an "
        + "unfinished copy"
      damage.remedy = "Copy it again, or see what salvage saves of it"
      throw .corruption(damage)
    }
    if record?.isUnfinished == true { throw .unfinishedCopy(path: directory.path) }
  }

  /// Lets the record of the copy in `directory` say that it is finished, where the manifest tells
  /// that all of it is there.
  ///
  /// For who is about to replace that manifest: after that nothing could tell such a copy from a
  /// part of one. Where the manifest is damaged, its being there tells that, as for who opens it.
  static func finish(
    in directory: any Directory, besideDamagedManifest: Bool = false
  ) throws(LogError) {
    var record: BackupRecord
    do throws(LogError) {
      guard let found = try read(in: directory), found.isUnfinished || found.isDamaged else {
        return
      }
      if !besideDamagedManifest {
        guard let manifest = try ManifestFile.readWithBytes(in: directory),
          found.describes(manifestBytes: manifest.bytes)
        else { return }
      }
      record = found
    } catch {
      // What does not verify says nothing that could be corrected.
      guard error.damage != nil else { throw error }
      return
    }
    record.isUnfinished = false
    record.isDamaged = false
    do throws(FileIOError) { try record.write(in: directory) } catch { throw .fileIO(error) }
  }

  /// Throws where the record says that a part of the store in `directory` may be missing though a
  /// manifest is there, which earlier versions wrote over the half of a copy.
  ///
  /// - Throws: ``LogError/corruption(_:)``, ``LogError/fileIO(_:)``.
  static func checkWhole(in directory: any Directory) throws(LogError) {
    var doubt: CorruptionReport?
    do throws(LogError) {
      guard let record = try read(in: directory),
        let bytes = try ManifestFile.readWithBytes(in: directory)?.bytes,
        !record.describes(manifestBytes: bytes)
      else { return }
      doubt = record.unfinishedDamage(manifestBytes: bytes)
    } catch {
      guard error.damage != nil else { throw error }
    }
    if let doubt { throw .corruption(doubt) }
  }

  /// What is wrong with a record that still says that the copy is not finished, beside a manifest
  /// whose file has these bytes.
  func unfinishedDamage(manifestBytes bytes: [UInt8]) -> CorruptionReport? {
    let isUntouched = describes(manifestBytes: bytes)
    // A copy that was whole has all that it had, whoever wrote to it.
    guard isUnfinished || isDamaged && isUntouched else { return nil }
    var damage = CorruptionReport(
      file: StoreDirectory.backup.description, offset: 0,
      reason: isUntouched
        ? "it does not say yet that the copy is finished without damage, but all of it is there"
        : "it says that the copy was not finished, and the store was written to since, so objects "
          + "may be missing that were to be copied")
    damage.remedy =
      isUntouched
      ? "Run the backup or the restore again; the first write to the copy mends it, too"
      : "Compare the store with what it was copied from; when nothing is missing, remove that file"
    return damage
  }
}
