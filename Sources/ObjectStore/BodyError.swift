internal import LogStore

/// An error of the log that the body of a write has thrown, on its way through the log.
///
/// What the log throws itself becomes an error of the store, and what the body throws does not:
/// without this nobody could tell the two apart. A write that succeeds pays nothing for it.
struct BodyError: Error {
  let cause: LogError

  /// What the caller of a write gets for an error that came out of the log.
  static func passedOn(_ error: any Error) -> any Error {
    if let error = error as? BodyError { return error.cause }
    if let error = error as? LogError { return StoreError.log(error) }
    return error
  }
}
