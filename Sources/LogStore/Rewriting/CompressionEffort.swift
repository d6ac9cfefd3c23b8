/// How long a rewrite looks for what makes payloads small.
package enum CompressionEffort: Sendable {
  /// Records that have the newest dictionary stay as commits wrote them, others are compressed as
  /// fast as can be: for when time counts, and a later rewrite may do better.
  case quick
  /// As small as is known: several times the work, and a tenth smaller.
  case thorough
}
