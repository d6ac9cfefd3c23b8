// Applications import ObjectStore alone: histories, values, durability and reports come with it.
@_exported public import Compaction
@_exported public import LogStore
@_exported public import SchemaRegistry
