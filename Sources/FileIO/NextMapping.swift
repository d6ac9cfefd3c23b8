#if os(Linux)
  /// The part of a file that a series of appends will reach, made ready on another thread.
  struct NextMapping {
    /// Behind it the file is not written before this is finished or cancelled.
    let lowerBound: UInt64
    private let work: HandedOverWork<WritableMapping?>

    /// For `zeros`, see ``WritableMapping``; `file` has the descriptor open. `previous` is let go
    /// on the other thread, too.
    init(
      _ descriptor: Int32, zeros: Range<UInt64>, of file: POSIXFile,
      replacing previous: WritableMapping?
    ) {
      lowerBound = zeros.lowerBound
      work = HandedOverWork {
        withExtendedLifetime((file, previous)) {
          do throws(SystemCalls.Failure) {
            return try WritableMapping(
              descriptor, zeros: zeros, before: UInt64(AppendWindow.pieceByteCountMaximum))
          } catch { return nil }
        }
      }
    }

    /// Has `worker` make it; false, and nothing is kept, where there is no thread for it.
    func handOver(to worker: SerialWorker) -> Bool { work.handOver(to: worker) }

    /// Waits for it, or makes it here; nothing where the system could not.
    func take() -> WritableMapping? {
      work.finish()
      return work.take() ?? nil
    }

    /// Sees to it that nothing is written any more, and nothing stays mapped.
    func cancel() {
      work.cancel()
      _ = work.take()
    }
  }
#endif
