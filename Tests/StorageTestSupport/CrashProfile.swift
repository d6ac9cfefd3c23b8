/// What a file system promises about names when the power fails.
package enum CrashProfile: CaseIterable, Sendable {
  /// What POSIX promises: any subset of un-synchronized directory operations survives, and
  /// synchronizing a file says nothing about its name.
  case strict
  /// Like a journal: directory operations survive as a prefix in their order, and synchronizing a
  /// file also makes the directory operations before it durable.
  case ordered
}
