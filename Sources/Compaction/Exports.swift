/// Who upgrades records writes their payloads with it, and depends on no more modules for that.
@_exported public import struct BinaryCoding.ByteWriter
