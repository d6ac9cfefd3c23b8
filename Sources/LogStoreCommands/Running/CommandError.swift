internal import FileIO
internal import LogStore
internal import ObjectStore
internal import SchemaRegistry

/// Why a command failed: every error of the layers below, with its exit status.
enum CommandError: Error {
  case store(StoreError)
  case importing(ImportError)
  case file(FileIOError)
  case output(OutputError)
  /// The arguments do not fit together or do not fit the store; the text says what to do.
  case usage(String)
  /// A history file cannot be read.
  case unreadableHistory(path: String, reason: String)
  /// What describes objects of the store is lost, so that they cannot be shown.
  case undescribed(UndescribedObjects)
  /// What a compaction does cannot be foretold before barriers are passed.
  case barrierBeforePlan(BarrierEstimate)
  /// An error of the app whose history is used.
  case other(String)
  /// What ended an import, of which so many objects were stored before.
  indirect case afterImporting(UInt64, cause: CommandError)

  /// The command's error for any error of the layers below.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as CommandError: error
      case let error as StoreError: .store(error)
      case let error as LogError: .store(.log(error))
      case let error as SchemaError: .store(.schema(error))
      case let error as ImportError: .importing(error)
      case let error as FileIOError: .file(error)
      case let error as OutputError: .output(error)
      default: .other("\(error)")
      }
  }

  /// The exit status that stands for it.
  var status: ExitStatus {
    switch self {
    case .store(.log(let error)): Self.status(of: error)
    case .store(.schema(let error)): Self.status(of: error)
    case .store(.malformedCatalog): .corruption
    case .store(.newerCatalog): .newerFormat
    case .store(.barrierPending), .store(.barrierCancelled), .store(.floorTooHigh): .migration
    case .store: .usage
    case .importing(.unreadable), .importing(.inputChanged), .file, .output: .inputOutput
    case .importing, .usage, .unreadableHistory: .usage
    case .undescribed: .corruption
    case .other, .barrierBeforePlan: .migration
    case .afterImporting(_, let cause): cause.status
    }
  }

  private static func status(of error: LogError) -> ExitStatus {
    switch error {
    case .storeNotFound, .missingParent, .diskFull, .poisoned, .closed, .readOnly,
      .snapshotExpired:
      .inputOutput
    // The manifest is what makes a directory a store: when it is gone, something is damaged.
    case .notAStore, .corruption, .unfinishedCopy: .corruption
    case .storeIsInUse, .storeIsBusy, .rewriteIsRunning: .storeInUse
    case .newerFormat, .newerWriter: .newerFormat
    case .fileIO(let error):
      if case .locked = error.reason { .storeInUse } else { .inputOutput }
    case .limitExceeded, .emptyKey, .copyRefused: .usage
    }
  }

  private static func status(of error: SchemaError) -> ExitStatus {
    switch error {
    case .invalidTypeText, .invalidValue, .invalidKey, .invalidHistoryDocument, .unknownType,
      .invalidShape, .reservedVersion:
      .usage
    case .malformedShape, .malformedPayload: .corruption
    case .unknownShapeFormat, .storeIsNewer, .writtenByNewer: .newerFormat
    case .invalidHistory, .schemaMismatch, .chainIncomplete, .chainDoesNotReachModel,
      .linksToRemovedTypes, .linksToChangedKeys, .linksToOtherTypes, .casesDiffer, .notAdditive,
      .historyEdited, .unknownVersion, .needsApplicationCode, .unknownCase, .migrationFailed,
      .barrierNotRun,
      .barrierFailed, .barrierNeedsUpgrades, .duplicateKeys, .keysTaken:
      .migration
    }
  }
}

extension CommandError: CustomStringConvertible {
  var description: String {
    switch self {
    case .store(let error): error.description
    case .importing(let error): error.description
    case .file(let error): error.description
    case .output(let error): error.description
    case .usage(let text), .other(let text): text
    case .undescribed(let objects): objects.description
    case .barrierBeforePlan(let estimate):
      "\(estimate.operationIDs.joined(separator: ", ")) must run over \(estimate.recordCount) "
        + "records (\(estimate.byteCount) bytes) before it can be told what compact does then; "
        + "nothing was changed. Without --dry-run, compact runs that first, in one transaction"
    case .afterImporting(_, let cause): cause.description
    case .unreadableHistory(let path, let reason):
      "the history file \(path) cannot be read: \(reason)"
    }
  }
}
