/// How long what makes payloads small is looked for.
package enum CompressionEffort: Sendable {
  /// As fast as can be: what commits do, and rewrites when time counts, for a later one may do
  /// better. These keep records as they are that have a dictionary, be it an older one.
  case quick
  /// As small as is known: five times the work, and an eighth smaller.
  case thorough
}
