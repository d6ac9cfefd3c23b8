#if os(Linux)
  /// The part of a file that a series of appends will reach, made ready on another thread.
  final class NextMapping: @unchecked Sendable {
    // Sendable: what is made is set by the thread that makes it, and read when that is finished.
    /// Behind it the file is not written before this is finished or cancelled.
    let lowerBound: UInt64
    private let made = Made()
    private let work: HandedOverWork

    private final class Made: @unchecked Sendable {
      var mapping: WritableMapping?
    }

    /// For `zeros`, see ``WritableMapping``; `file` has the descriptor open. `previous` is let go
    /// on the other thread, too.
    init(
      _ descriptor: Int32, zeros: Range<UInt64>, of file: POSIXFile,
      replacing previous: WritableMapping?
    ) {
      lowerBound = zeros.lowerBound
      work = HandedOverWork { [made] in
        withExtendedLifetime((file, previous)) {
          do throws(SystemCalls.Failure) {
            made.mapping = try WritableMapping(
              descriptor, zeros: zeros, before: UInt64(AppendWindow.pieceByteCountMaximum))
          } catch {}
        }
      }
    }

    /// Has `worker` make it; false, and nothing is kept, where there is no thread for it.
    func handOver(to worker: SerialWorker) -> Bool { work.handOver(to: worker) }

    /// Waits for it, or makes it here; nothing where the system could not.
    func take() -> WritableMapping? {
      work.finish()
      // The worker may come by later, and must not keep it.
      defer { made.mapping = nil }
      return made.mapping
    }

    /// Sees to it that nothing is written any more.
    func cancel() { work.cancel() }
  }
#endif
