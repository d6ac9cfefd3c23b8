#ifndef LOGSTORE_CCHECKSUM_H
#define LOGSTORE_CCHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78) of `count` bytes, continuing from `crc`.
/// Start with 0; the usual pre- and post-inversion is done inside, so results can be chained.
/// Uses the processor's CRC instruction where there is one.
uint32_t logstore_crc32c(uint32_t crc, const void *bytes, size_t count);

/// CRC-32C of `count` bytes from `bytes` on, and then of the eight little-endian bytes of `first`
/// and of `second`: what chained calls give, in one.
uint32_t logstore_crc32c_bound(const void *bytes, size_t count, uint64_t first, uint64_t second);

/// The same function computed by table, on every processor: fallback and test oracle.
uint32_t logstore_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

/// The same for `logstore_crc32c_bound`.
uint32_t logstore_crc32c_bound_portable(const void *bytes, size_t count, uint64_t first,
                                        uint64_t second);

/// Whether `logstore_crc32c` uses a processor instruction here.
bool logstore_crc32c_is_hardware(void);

/// XXH64 of `count` bytes with `seed`, after the published specification
/// ("xxHash fast digest algorithm", version 0.1.1).
uint64_t logstore_xxh64(const void *bytes, size_t count, uint64_t seed);

/// Asks the processor to bring up to 512 bytes from `bytes` on into its cache; not a checksum, but
/// like them an instruction that Swift has no word for. Never faults, whatever the address.
static inline void logstore_prefetch(const void *bytes, size_t count) {
  const char *start = (const char *)((uintptr_t)bytes & ~(uintptr_t)63);
  const char *end = (const char *)bytes + (count < 512 ? count : 512);
  for (; start < end; start += 64) {
    __builtin_prefetch(start);
  }
}

#endif
