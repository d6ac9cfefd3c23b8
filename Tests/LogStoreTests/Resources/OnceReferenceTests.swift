import Dispatch
import FileIO
import Testing

@testable import LogStore

@Suite struct OnceReferenceTests {
  /// Counts how many of its kind live.
  private final class Counted: Sendable {
    private let living: Lock<Int>

    init(_ living: Lock<Int>) {
      self.living = living
      living.withLock { living in living += 1 }
    }

    deinit { living.withLock { living in living -= 1 } }
  }

  private final class Holder: Sendable {
    let reference = OnceReference<Counted>()
  }

  @Test("Of threads that set a reference one wins, all get its object, and nothing stays behind")
  func threads() {
    let living = Lock(0)
    for _ in 0..<200 {
      let holder = Holder()
      #expect(holder.reference.load() == nil)
      let found = Lock<[Counted]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let object = holder.reference.storeIfNil(Counted(living))
        found.withLock { found in found.append(object) }
      }
      let all = found.withLock { found in found }
      #expect(all.allSatisfy { $0 === holder.reference.load() })
      #expect(living.withLock { living in living } == 1)
    }
    #expect(living.withLock { living in living } == 0)
  }
}
