public import BinaryCoding

/// How records of one type get from one version to another; made once, used for every record.
///
/// Operations are fused: a member that no operation touches is copied as bytes, one that is removed
/// is skipped, and only what the target needs is computed. ``upgradeStepwise(_:key:committedAt:)``
/// does the same slowly, one version after the other, and is the reference. A plan never reads
/// anything but the record it is given. Immutable and free to share between threads.
///
/// A step that fails makes the upgrade of its record fail; a failing step whose result nobody needs
/// is not run by the fused plan.
///
/// A class, as each read of an old record would copy it else.
public final class UpgradePlan: Sendable {
  /// What the records are.
  public let type: TypeIdentity
  /// The version the records were written under.
  public let fromVersion: SchemaVersion
  /// The version the records get.
  public let toVersion: SchemaVersion
  /// The shape the payloads are read in, with the order of members they were written in.
  public let source: TypeShape
  /// The shape the upgraded payloads are written in.
  public let target: TypeShape
  /// Whether every payload stays as it is, so that stored bytes can be handed out.
  public let isIdentity: Bool
  /// The operations that run on a record, in order.
  public let operationIDs: [String]
  /// Whether what a step gives is to be written at the next chance.
  public let materialises: Bool
  /// Whether steps run code, which may be slow.
  package let runsCode: Bool
  let transitions: [TypeTransition]
  let derivedSource: TypeShape
  let derivedTarget: TypeShape
  let segments: [PlanSegment]
  let emissions: [PlanEmission]
  /// What it writes when it does not leave the bytes as they are.
  let copies: PlanCopies
  let subject: StepSubject
  /// Of the source. Its own: threads have plans of their own but share shapes, and would count
  /// references to the shape's for each record, one after the other.
  private let layout: PayloadLayout
  /// The most steps that a segment has.
  let stepCountMaximum: Int
  /// For each member of the target, whether its value tells what an upgrade would.
  let evaluableMembers: [Bool]

  init(
    type: TypeIdentity, from: DerivedVersion, source: TypeShape, to: DerivedVersion,
    target: TypeShape, transitions: [TypeTransition], checksPurity: Bool
  ) throws(SchemaError) {
    fromVersion = from.shape.version
    toVersion = to.shape.version
    guard let derivedSource = from.shape.type(type) else {
      throw .unknownType(type: source.name, version: fromVersion)
    }
    guard let derivedTarget = to.shape.type(type) else {
      throw .unknownType(type: target.name, version: toVersion)
    }
    let changed = source.differences(to: derivedSource, ignoringIdentities: true)
    guard changed.isEmpty else {
      throw .schemaMismatch(version: fromVersion, differences: changed)
    }
    let unreached = derivedTarget.differences(to: target, ignoringIdentities: true)
    guard unreached.isEmpty else {
      throw .chainDoesNotReachModel(version: toVersion, differences: unreached)
    }
    let missing = transitions.flatMap(\.operations).filter(\.needsApplicationCode).map(\.id)
    guard missing.isEmpty else {
      throw .needsApplicationCode(type: target.name, operationIDs: missing)
    }
    var compiler = PlanCompiler(
      source: source, derivedSource: derivedSource, transitions: transitions)
    compiler.finish(target: target, derivedTarget: derivedTarget)
    self.type = type
    self.source = source
    self.target = target
    self.transitions = transitions
    self.derivedSource = derivedSource
    self.derivedTarget = derivedTarget
    layout = PayloadLayout(members: source.members, keyIndex: source.keyIndex)
    subject = StepSubject(type, source, fromVersion: fromVersion, checksPurity: checksPurity)
    segments = compiler.segments
    stepCountMaximum = segments.map { $0.steps.count }.max() ?? 0
    let operations = transitions.flatMap(\.operations)
    operationIDs = operations.map(\.id)
    materialises = operations.contains(where: \.materialises)
    runsCode = operations.contains(where: \.runsCode)
    emissions = try PlanEmission.all(of: compiler.segments, source: source, target: target)
    evaluableMembers = PlanEmission.evaluableMembers(
      emissions, segments: compiler.segments, target: target)
    isIdentity =
      compiler.segments.count == 1 && compiler.segments[0].drops.isEmpty
      && PlanEmission.isIdentity(emissions, source: source, target: target)
    copies = PlanCopies(emissions, segments: compiler.segments, layout: target.layout)
  }

  /// Upgrades one payload and appends the result to `writer`; a dropped record appends nothing.
  ///
  /// `key` is the record's key as stored, `committedAt` its commit time in seconds since 1970.
  /// On an error the writer is as it was. Cost: proportional to the payload, and what steps cost.
  public func upgrade(
    _ payload: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, committedAt: UInt64,
    to writer: inout ByteWriter
  ) throws(SchemaError) -> StepOutcome {
    var copies = CopiedRanges(isWanted: false)
    return try upgrade(
      payload, key: key, committedAt: committedAt, timing: nil, noting: &copies, to: &writer)
  }

  /// The same, while `timing` notes how long its code takes, and `copied`, which knows nothing
  /// before, which bytes are those of the old payload; what it notes on an error means nothing.
  package func upgrade(
    _ payload: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, committedAt: UInt64,
    timing: StepTiming?, noting copied: inout CopiedRanges, to writer: inout ByteWriter
  ) throws(SchemaError) -> StepOutcome {
    if isIdentity {
      copied.note(0, from: 0, count: payload.count)
      writer.writeBytes(payload)
      return .keep
    }
    if copies.isAll {
      try withMembers(of: payload, stepCount: 0, key: key, committedAt) { memory in
        writer.append(capacity: copies.byteCountMaximum(payload.count)) {
          (target: UnsafeMutableRawBufferPointer) -> Int in
          copies.write(payload, memory.ranges, noting: &copied, to: target)
        }
      }
      return .keep
    }
    let start = writer.count
    do throws(SchemaError) {
      return try withRun(on: payload, key: key, committedAt, timing) {
        (run) throws(SchemaError) in
        try run.upgrade(by: self, noting: &copied, to: &writer)
      }
    } catch {
      writer.truncate(to: start)
      throw error
    }
  }

  /// The upgraded payload, or nil when a step dropped the record.
  public func upgrade(
    _ payload: [UInt8], key: [UInt8], committedAt: UInt64
  ) throws(SchemaError) -> [UInt8]? {
    try upgrade(payload, key: key, committedAt: committedAt, timing: nil)
  }

  /// The same, while `timing` notes how long its code takes.
  package func upgrade(
    _ payload: [UInt8], key: [UInt8], committedAt: UInt64, timing: StepTiming?
  ) throws(SchemaError) -> [UInt8]? {
    if copies.isAll, !isIdentity {
      return try payload.withBytes { (payload: UnsafeRawBufferPointer) throws(SchemaError) in
        try key.withBytes { (key: UnsafeRawBufferPointer) throws(SchemaError) -> [UInt8] in
          try withMembers(of: payload, stepCount: 0, key: key, committedAt) { memory in
            let capacity = copies.byteCountMaximum(payload.count)
            var copied = CopiedRanges(isWanted: false)
            return [UInt8](capacity: capacity) { target in
              copies.write(payload, memory.ranges, noting: &copied, to: target)
            }
          }
        }
      }
    }
    var writer = ByteWriter(capacity: payload.count + 64)
    var copied = CopiedRanges(isWanted: false)
    let outcome = payload.withUnsafeBytes { payload in
      key.withUnsafeBytes { key in
        Result { () throws(SchemaError) in
          try upgrade(
            payload, key: key, committedAt: committedAt, timing: timing, noting: &copied,
            to: &writer)
        }
      }
    }
    return try outcome.get() == .keep ? writer.array() : nil
  }

  /// Calls `body` with what runs the plan on one record.
  @inline(__always)
  func withRun<Result>(
    on payload: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, _ committedAt: UInt64,
    _ timing: StepTiming?, _ body: (inout PlanRun) throws(SchemaError) -> Result
  ) throws(SchemaError) -> Result {
    try withMembers(of: payload, stepCount: stepCountMaximum, key: key, committedAt) {
      (memory) throws(SchemaError) in
      var run = PlanRun(
        payload: payload, memory: memory,
        runner: runner(key: key, committedAt: committedAt, timing: timing))
      return try body(&run)
    }
  }

  /// Calls `body` with memory that says where the stored members lie in a payload, and has room for
  /// so many steps.
  @inline(__always)
  private func withMembers<Result>(
    of payload: UnsafeRawBufferPointer, stepCount: Int, key: UnsafeRawBufferPointer,
    _ committedAt: UInt64, _ body: (PlanMemory) throws(SchemaError) -> Result
  ) throws(SchemaError) -> Result {
    let result = PlanMemory.with(memberCount: layout.memberCount, stepCount: stepCount) {
      (memory) -> Swift.Result<Result, SchemaError> in
      do throws(BinaryDecodingError) {
        try layout.find(memory.ranges, in: payload)
      } catch {
        return .failure(malformed(error, key: key, committedAt))
      }
      return Swift.Result { () throws(SchemaError) in try body(memory) }
    }
    return try result.get()
  }

  func malformed(
    _ error: BinaryDecodingError, key: UnsafeRawBufferPointer, _ committedAt: UInt64
  ) -> SchemaError {
    .malformedPayload(
      type: source.name, keyText: runner(key: key, committedAt: committedAt).keyText,
      reason: error.description)
  }

  func runner(
    key: UnsafeRawBufferPointer, committedAt: UInt64, timing: StepTiming? = nil
  ) -> StepRunner {
    StepRunner(subject: subject, key: key, committedAt: committedAt, timing: timing)
  }
}

extension ResolvedOperation {
  /// Whether the operation's code is missing.
  var needsApplicationCode: Bool {
    switch kind {
    case .compute(_, _, _, .closure(let closure), _): closure.run == nil
    case .rewrite(let closure): closure.run == nil
    case .drop(_, .closure(let closure)): closure.run == nil
    case .transform(_, let transform): transform.operations.contains(where: \.needsApplicationCode)
    default: false
    }
  }
}
