/// What one version did to the records of one type.
struct TypeTransition: Sendable {
  let version: SchemaVersion
  /// The type before and after this version.
  let source: TypeShape
  let target: TypeShape
  /// In the order they run; may be empty when only names or optionality changed.
  let operations: [ResolvedOperation]
}
