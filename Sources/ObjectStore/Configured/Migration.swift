internal import FileIO
public import SchemaRegistry

/// What a migration block asks for.
///
/// With ``Store/Configuration/MigrationTiming/onRead`` it notes what the block says; with
/// ``Store/Configuration/MigrationTiming/atOpen`` it does it.
public final class Migration: Sendable {
  /// What runs for one object: as it was, which cannot be changed, and as it will be.
  public typealias ObjectClosure =
    @Sendable (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) throws -> Void

  /// The schema of the version that the block is called for.
  public let oldSchema: SchemaShape
  /// The schema of the models.
  public let newSchema: SchemaShape

  struct Recorded {
    var renames: [(type: String, from: String, to: String)] = []
    var closures: [(type: String, body: ObjectClosure)] = []
    /// The types of which all objects are to be deleted.
    var emptied: Set<String> = []
    /// What the closures must set, by type.
    var needed: [String: [NeededMember]] = [:]
    /// Other names of stored members in the old objects of the closures, by type.
    var aliases: [String: [String: String]] = [:]
    /// The first thing that was wrong with the block; thrown when that returns.
    var fault: StoreError?

    /// The renames of one type, in the order of the calls.
    func renames(of type: String) -> [(from: String, to: String)] {
      renames.filter { $0.type == type }.map { (from: $0.from, to: $0.to) }
    }
  }

  private let timing: Store.Configuration.MigrationTiming
  /// The names of all types that the models and the versions of the store have.
  private let knownTypes: Set<String>
  /// Whether others are refused: not in the hands of users, whose stores may have skipped versions.
  private let checksNames: Bool
  private let recorded = Lock(Recorded())
  /// Does what is asked for; nothing while it is only noted.
  private let doing = Lock<EagerMigration?>(nil)
  private var eager: EagerMigration? { doing.withLock { eager in eager } }

  init(
    oldSchema: SchemaShape, newSchema: SchemaShape, timing: Store.Configuration.MigrationTiming,
    knownTypes: Set<String>, checksNames: Bool
  ) {
    self.knownTypes = knownTypes
    self.checksNames = checksNames
    self.oldSchema = oldSchema
    self.newSchema = newSchema
    self.timing = timing
  }

  /// What the block asked for.
  var notes: Recorded { recorded.withLock { recorded in recorded } }

  /// Does what was noted of objects; nothing else that the block asked for.
  func perform(with eager: EagerMigration) throws(StoreError) {
    acting(with: eager) {
      for (type, body) in notes.closures { eager.enumerate(type, body, migration: self) }
    }
    if let fault = notes.fault { throw fault }
  }

  /// Has `eager` do what is asked for in `body`; what somebody keeps of it asks nobody afterwards.
  func acting<Failure: Error>(
    with eager: EagerMigration, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    doing.withLock { doing in doing = eager }
    defer { doing.withLock { doing in doing = nil } }
    try body()
  }

  /// Notes what code for a type must set, and what it finds stored members under besides.
  func note(_ needed: [NeededMember], _ aliases: [String: String], of type: String) {
    recorded.withLock { recorded in
      recorded.needed[type] = needed
      recorded.aliases[type] = aliases
    }
  }

  /// Notes what is wrong: with the object that the calling closure is for, else with the block.
  func note(_ fault: StoreError) {
    if let step { return step.note(fault) }
    recorded.withLock { recorded in if recorded.fault == nil { recorded.fault = fault } }
  }

  /// Runs `body` for every object of a type.
  ///
  /// It must be pure unless the block runs at open: it is called when an object is read, any number
  /// of times. A throw leaves the object as it was, and makes reading it fail.
  ///
  /// Of a type that the models do not have, nothing runs unless the block runs at open; the new
  /// object may be deleted then, and what is set in it comes to nothing.
  ///
  /// A name that neither the models nor any version of the store have is an error where blocks are
  /// checked (``StoreConfiguration/checksPurity``), as in builds for debugging. In others nothing
  /// runs: the store may have skipped the versions that had the type.
  public func enumerateObjects(ofType type: String, _ body: @escaping ObjectClosure) {
    guard knows(type, "enumerateObjects") else { return }
    if let eager {
      eager.enumerate(type, body, migration: self)
    } else if isRunningStep {
      note(.misplacedMigrationCall("enumerateObjects", "outside of enumerateObjects"))
    } else {
      recorded.withLock { recorded in recorded.closures.append((type, body)) }
    }
  }

  /// Whether there is such a type anywhere; notes the fault otherwise, where names are checked.
  private func knows(_ type: String, _ call: String) -> Bool {
    if knownTypes.contains(type) { return true }
    if checksNames {
      note(.unknownMigrationType(call: call, type: type, known: knownTypes.sorted()))
    }
    return false
  }

  /// Gives a member another name; its values stay. Not from within `enumerateObjects`.
  ///
  /// When the models have no member of the new name, it is what the code for later versions finds
  /// the value under in the old object. Without such code it is an error where blocks are checked,
  /// unless a version of the store had it.
  public func renameProperty(onType type: String, from old: String, to new: String) {
    guard !isRunningStep else {
      return note(.misplacedMigrationCall("renameProperty", "outside of enumerateObjects"))
    }
    guard knows(type, "renameProperty") else { return }
    recorded.withLock { recorded in recorded.renames.append((type, old, new)) }
  }

  /// Makes an object; members left out have the initial values of the model.
  @discardableResult
  public func create(_ type: String, value: [String: Any?] = [:]) -> MigrationObject? {
    mustBeEager("create")?.create(type, value, migration: self)
  }

  /// Deletes the new object that `enumerateObjects` gave, or that was created.
  public func delete(_ object: MigrationObject) {
    mustBeEager("delete")?.delete(object, migration: self)
  }

  /// Deletes all objects of a type; false when there is no such type. What changed in the type
  /// needs no other code then.
  @discardableResult
  public func deleteData(forType type: String) -> Bool {
    guard let eager = mustBeEager("deleteData") else {
      recorded.withLock { recorded in _ = recorded.emptied.insert(type) }
      return newSchema.type(named: type) != nil || oldSchema.type(named: type) != nil
    }
    return eager.deleteData(type, migration: self)
  }

  private func mustBeEager(_ call: String) -> EagerMigration? {
    // A first run with `atOpen` only looks for renames; the second one does the work.
    if eager == nil, timing == .onRead || isRunningStep {
      note(.misplacedMigrationCall(call, "in a block with migrationTiming: .atOpen"))
    }
    return eager
  }

  /// What runs for one object that is read, long after the block.
  private final class Step: Sendable {
    let migration: Migration
    private let first = Lock<StoreError?>(nil)
    /// The first thing that was wrong with the calls in it.
    var fault: StoreError? { first.withLock { first in first } }

    init(_ migration: Migration) { self.migration = migration }

    func note(_ fault: StoreError) {
      first.withLock { first in if first == nil { first = fault } }
    }
  }

  /// The step that the code around the caller is run by: others run on other threads.
  @TaskLocal private static var running: Step?

  /// The same, of this migration: a block of another one may run inside of it.
  private var step: Step? { Self.running.flatMap { $0.migration === self ? $0 : nil } }
  private var isRunningStep: Bool { step != nil }

  /// Runs `body` as what happens to one object; throws what was wrong with the calls in it.
  func runStep<Result>(_ body: () throws -> Result) throws -> Result {
    let step = Step(self)
    let result = try Self.$running.withValue(step) { try body() }
    if let fault = step.fault { throw fault }
    return result
  }
}
