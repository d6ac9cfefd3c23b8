/// What a thread of a rewrite transforms and compresses with. Used by one thread.
struct RewriteTools {
  let compressor: RecordCompressor
  let transformer: (any RecordTransformer)?
}
