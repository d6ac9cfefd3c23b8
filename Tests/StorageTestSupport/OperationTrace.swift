/// The last operations of a simulated file system, for messages.
package struct OperationTrace: Sendable, CustomStringConvertible {
  struct Event: Sendable {
    var number: Int
    var kind: OperationKind
    var path: String
    var offset: UInt64
    var count: UInt64
    var failed = false
  }

  private static let eventCountLimit = 50
  private var events: [Event] = []
  private var next = 0

  mutating func append(_ event: Event) {
    if events.count < Self.eventCountLimit {
      events.append(event)
    } else {
      events[next] = event
      next = (next + 1) % Self.eventCountLimit
    }
  }

  mutating func markLastAsFailed() {
    let last = (next + events.count - 1) % max(events.count, 1)
    if events.indices.contains(last) { events[last].failed = true }
  }

  /// One line for each of the last 50 operations, the oldest first.
  package var description: String {
    (events[next...] + events[..<next]).map { event in
      "\(event.number) \(event.kind) \(event.path) offset \(event.offset) count \(event.count)"
        + (event.failed ? " FAILED" : "")
    }.joined(separator: "\n")
  }
}
