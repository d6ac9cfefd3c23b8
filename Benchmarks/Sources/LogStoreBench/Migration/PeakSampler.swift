import Foundation
import Synchronization

/// Looks at memory and disk every few milliseconds, on a thread of its own.
final class PeakSampler: Sendable {
  private let isRunning = Atomic(true)
  private let isDone = DispatchSemaphore(value: 0)
  private let memoryByteCount = Atomic(0)
  private let diskByteCount = Atomic(0)

  init(directory: String) {
    Thread.detachNewThread { [self] in
      repeat {
        // First: a look at the directory in the first millisecond would slow down what it measures.
        usleep(5000)
        memoryByteCount.max(ProcessMemory.anonymousByteCount ?? 0, ordering: .relaxed)
        let disk = (try? FileSpace.allocatedByteCount(below: directory)) ?? 0
        diskByteCount.max(disk, ordering: .relaxed)
      } while isRunning.load(ordering: .relaxed)
      isDone.signal()
    }
  }

  /// Ends the sampling and returns the peaks.
  func stop() -> (memoryByteCount: Int, diskByteCount: Int) {
    isRunning.store(false, ordering: .relaxed)
    isDone.wait()
    return (
      memoryByteCount.load(ordering: .relaxed), diskByteCount.load(ordering: .relaxed)
    )
  }
}
