internal import SchemaRegistry

extension StoreError {
  /// What happened when a store was opened by a configuration, where, and what to do.
  var configurationDescription: String {
    switch self {
    case .conflictingSettings(let reason):
      "the configuration cannot be used: \(reason); change one of the two settings"
    case .openWithOtherSettings(let path, let setting):
      "the store at \(path) is open in this process with other settings: \(setting) differs; "
        + "open it with the same configuration, or close it first"
    case .openedByItsOwnMigration(let path):
      "the migration block of the store at \(path) opens the same store; "
        + "use what the block is given"
    case .openedByAnotherOpening(let path):
      "a migration block opens the store at \(path) while another thread opens or closes it; "
        + "open that store before the one that is migrated"
    case .copyFailed(let path, let reason):
      "the store at \(path) could not be copied or moved: \(reason); it is as it was. "
        + "Check the path, the permissions and the free space"
    default: migrationDescription
    }
  }

  /// The same of what its models and its migration block say.
  private var migrationDescription: String {
    switch self {
    case .migrationNeeded(let type, let member, let from, let to, let version):
      NeededMember.change(of: "\(type).\(member)", from: from, to: to, version: version)
        + "; nothing was changed. Call "
        + "migration.enumerateObjects(ofType: \"\(type)\") in the migration block and set it"
        + (from == nil
          ? " to what follows from the old object, or, with migrationTiming: .atOpen, to anything; "
            + "or, where it has none, give it an initial value that is always the same, as a "
            + "Codable type does in an init()" : "")
    case .primaryKeyChanged(let type, let from, let held, let to, let holds, let version):
      "the primary key of \(type) is \(to) (\(holds)) now, and \(from) (\(held)) in objects of "
        + "version \(version); nothing was changed. Keep \(from) as the key, or open the store "
        + "with a history in which Rekey makes another member the key"
    case .modelsChanged(let version, let differences):
      "the models are not those that version \(version) of the store has:"
        + differences.map { "\n  \($0)" }.joined()
        + "\nNothing was changed. Raise schemaVersion to \(version.rawValue + 1), and see whether "
        + "the change needs a migration block"
    case .unknownMigrationType(let call, let type, let known):
      "a migration block calls \(call) for \(type), a type that neither the models nor any version "
        + "of the store have; nothing was changed. Correct the name: there "
        + (known.isEmpty ? "is none" : "is \(known.joined(separator: ", "))")
        + ". Of a type that only some stores have, ask migration.oldSchema first; what is embedded "
        + "is set in the objects that hold it"
    case .unknownRename(let type, let from, let to, let missing, let version):
      "a migration block renames \(type).\(from) to \(to), and "
        + (missing == from
          ? "objects of version \(version) have no \(from)"
          : "neither the models nor any version of the store have \(to), nor does code read it")
        + "; nothing was changed. Correct the name"
        + (missing == from ? ", or rename it only for the versions that have it" : "")
    case .renamedOntoMember(let type, let from, let to, let version, let isFormerName):
      isFormerName
        ? "\(type).\(to) was called \(from), as far as the models and the store tell, and what "
          + "objects of version \(version) have under that name may be another member; nothing was "
          + "changed. Take the former name away where there is one; in the migration block, for "
          + "such versions, call renameProperty, or set \(to) in enumerateObjects"
        : "a migration block renames \(type).\(from) to \(to), and objects of version \(version) "
          + "have both; nothing was changed. Rename \(to) before it, or set \(to) in "
          + "enumerateObjects in place of the rename"
    case .misplacedMigrationCall(let call, let place):
      "a migration block calls \(call) where it has no effect; nothing was changed. "
        + "Call it \(place)"
    case .migrationBlockFailed(let version, let reason):
      "the migration block failed for version \(version): \(reason); nothing was changed. "
        + "Correct it in the next release"
    default: ""
    }
  }
}
