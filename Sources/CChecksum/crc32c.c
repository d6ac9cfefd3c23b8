#include "CChecksum.h"

#include <string.h>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

// Slicing-by-8 tables (Kounavis and Berry, "A Systematic Approach to Building High Performance
// Software-Based CRC Generators", 2005), filled once before main.
static uint32_t crc_table[8][256];

typedef uint32_t (*crc_function)(uint32_t, const uint8_t *, size_t);
typedef uint32_t (*bound_crc_function)(uint32_t, const uint8_t *, size_t, uint64_t, uint64_t);

static inline uint64_t load64(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

static uint32_t crc_by_table(uint32_t crc, const uint8_t *bytes, size_t count) {
  while (count >= 8) {
    uint64_t word = load64(bytes) ^ crc;
    crc = crc_table[7][word & 0xFF] ^ crc_table[6][(word >> 8) & 0xFF] ^
          crc_table[5][(word >> 16) & 0xFF] ^ crc_table[4][(word >> 24) & 0xFF] ^
          crc_table[3][(word >> 32) & 0xFF] ^ crc_table[2][(word >> 40) & 0xFF] ^
          crc_table[1][(word >> 48) & 0xFF] ^ crc_table[0][(word >> 56) & 0xFF];
    bytes += 8;
    count -= 8;
  }
  while (count > 0) {
    crc = (crc >> 8) ^ crc_table[0][(crc ^ *bytes) & 0xFF];
    bytes++;
    count--;
  }
  return crc;
}

static uint32_t bound_crc_by_table(uint32_t crc, const uint8_t *bytes, size_t count,
                                   uint64_t first, uint64_t second) {
  uint8_t words[16];
  for (int byte = 0; byte < 8; byte++) {
    words[byte] = (uint8_t)(first >> (8 * byte));
    words[8 + byte] = (uint8_t)(second >> (8 * byte));
  }
  return crc_by_table(crc_by_table(crc, bytes, count), words, sizeof words);
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(uint32_t crc,
                                                                     const uint8_t *bytes,
                                                                     size_t count) {
  uint64_t state = crc;
  while (count >= 8) {
    state = __builtin_ia32_crc32di(state, load64(bytes));
    bytes += 8;
    count -= 8;
  }
  uint32_t narrow = (uint32_t)state;
  if (count & 4) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    narrow = __builtin_ia32_crc32si(narrow, value);
    bytes += 4;
  }
  if (count & 2) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    narrow = __builtin_ia32_crc32hi(narrow, value);
    bytes += 2;
  }
  return count & 1 ? __builtin_ia32_crc32qi(narrow, *bytes) : narrow;
}

__attribute__((target("sse4.2"))) static uint32_t bound_crc_by_instruction(
    uint32_t crc, const uint8_t *bytes, size_t count, uint64_t first, uint64_t second) {
  uint64_t state = crc_by_instruction(crc, bytes, count);
  return (uint32_t)__builtin_ia32_crc32di(__builtin_ia32_crc32di(state, first), second);
}
#define LOGSTORE_HAS_CRC_INSTRUCTION __builtin_cpu_supports("sse4.2")
#elif defined(__aarch64__)
__attribute__((target("crc"))) static uint32_t crc_by_instruction(uint32_t crc,
                                                                  const uint8_t *bytes,
                                                                  size_t count) {
  while (count >= 8) {
    crc = __builtin_arm_crc32cd(crc, load64(bytes));
    bytes += 8;
    count -= 8;
  }
  if (count & 4) {
    crc = __builtin_arm_crc32cw(crc, (uint32_t)(bytes[0] | bytes[1] << 8 | bytes[2] << 16) |
                                         (uint32_t)bytes[3] << 24);
    bytes += 4;
  }
  if (count & 2) {
    crc = __builtin_arm_crc32ch(crc, (uint16_t)(bytes[0] | bytes[1] << 8));
    bytes += 2;
  }
  return count & 1 ? __builtin_arm_crc32cb(crc, *bytes) : crc;
}

__attribute__((target("crc"))) static uint32_t bound_crc_by_instruction(
    uint32_t crc, const uint8_t *bytes, size_t count, uint64_t first, uint64_t second) {
  crc = crc_by_instruction(crc, bytes, count);
  return __builtin_arm_crc32cd(__builtin_arm_crc32cd(crc, first), second);
}
#if defined(__linux__)
#define LOGSTORE_HAS_CRC_INSTRUCTION ((getauxval(AT_HWCAP) & (1 << 7)) != 0)
#else
#define LOGSTORE_HAS_CRC_INSTRUCTION 1
#endif
#else
#define crc_by_instruction crc_by_table
#define bound_crc_by_instruction bound_crc_by_table
#define LOGSTORE_HAS_CRC_INSTRUCTION 0
#endif

static crc_function chosen = crc_by_table;
static bound_crc_function chosen_bound = bound_crc_by_table;

__attribute__((constructor)) static void prepare_checksums(void) {
  for (uint32_t index = 0; index < 256; index++) {
    uint32_t crc = index;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0);
    crc_table[0][index] = crc;
  }
  for (uint32_t index = 0; index < 256; index++)
    for (int slice = 1; slice < 8; slice++)
      crc_table[slice][index] = (crc_table[slice - 1][index] >> 8) ^
                                crc_table[0][crc_table[slice - 1][index] & 0xFF];
  if (LOGSTORE_HAS_CRC_INSTRUCTION) {
    chosen = crc_by_instruction;
    chosen_bound = bound_crc_by_instruction;
  }
}

uint32_t logstore_crc32c(uint32_t crc, const void *bytes, size_t count) {
  return ~chosen(~crc, bytes, count);
}

uint32_t logstore_crc32c_bound(const void *bytes, size_t count, uint64_t first, uint64_t second) {
  return ~chosen_bound(~0u, bytes, count, first, second);
}

uint32_t logstore_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
  return ~crc_by_table(~crc, bytes, count);
}

uint32_t logstore_crc32c_bound_portable(const void *bytes, size_t count, uint64_t first,
                                        uint64_t second) {
  return ~bound_crc_by_table(~0u, bytes, count, first, second);
}

bool logstore_crc32c_is_hardware(void) { return chosen != crc_by_table; }
