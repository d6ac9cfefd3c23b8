#include "CChecksum.h"

#include <string.h>

// XXH64 after its published specification; the names of the steps are those of the document.

static const uint64_t prime_1 = 0x9E3779B185EBCA87u;
static const uint64_t prime_2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t prime_3 = 0x165667B19E3779F9u;
static const uint64_t prime_4 = 0x85EBCA77C2B2AE63u;
static const uint64_t prime_5 = 0x27D4EB2F165667C5u;

static inline uint64_t rotate_left(uint64_t value, int count) {
  return (value << count) | (value >> (64 - count));
}

static inline uint64_t load64(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

static inline uint64_t load32(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

static inline uint64_t round_lane(uint64_t lane, uint64_t input) {
  return rotate_left(lane + input * prime_2, 31) * prime_1;
}

static inline uint64_t merge_lane(uint64_t hash, uint64_t lane) {
  return (hash ^ round_lane(0, lane)) * prime_1 + prime_4;
}

static inline uint64_t finished(uint64_t hash) {
  hash = (hash ^ (hash >> 33)) * prime_2;
  hash = (hash ^ (hash >> 29)) * prime_3;
  return hash ^ (hash >> 32);
}

static inline uint64_t with_word(uint64_t hash, const uint8_t *bytes) {
  return rotate_left(hash ^ round_lane(0, load64(bytes)), 27) * prime_1 + prime_4;
}

// Apart, or the registers that it needs would be saved for the shortest, too.
static __attribute__((noinline)) uint64_t of_any_count(const void *bytes, size_t count,
                                                       uint64_t seed) {
  const uint8_t *cursor = bytes;
  size_t rest = count;
  uint64_t hash;
  if (count >= 32) {
    uint64_t lane_1 = seed + prime_1 + prime_2, lane_2 = seed + prime_2;
    uint64_t lane_3 = seed, lane_4 = seed - prime_1;
    while (rest >= 32) {
      lane_1 = round_lane(lane_1, load64(cursor));
      lane_2 = round_lane(lane_2, load64(cursor + 8));
      lane_3 = round_lane(lane_3, load64(cursor + 16));
      lane_4 = round_lane(lane_4, load64(cursor + 24));
      cursor += 32;
      rest -= 32;
    }
    hash = rotate_left(lane_1, 1) + rotate_left(lane_2, 7) + rotate_left(lane_3, 12) +
           rotate_left(lane_4, 18);
    hash = merge_lane(hash, lane_1);
    hash = merge_lane(hash, lane_2);
    hash = merge_lane(hash, lane_3);
    hash = merge_lane(hash, lane_4);
  } else {
    hash = seed + prime_5;
  }
  hash += (uint64_t)count;
  while (rest >= 8) {
    hash = with_word(hash, cursor);
    cursor += 8;
    rest -= 8;
  }
  if (rest >= 4) {
    hash = rotate_left(hash ^ (load32(cursor) * prime_1), 23) * prime_2 + prime_3;
    cursor += 4;
    rest -= 4;
  }
  while (rest > 0) {
    hash = rotate_left(hash ^ (*cursor * prime_5), 11) * prime_1;
    cursor++;
    rest--;
  }
  return finished(hash);
}

uint64_t logstore_xxh64(const void *bytes, size_t count, uint64_t seed) {
  // Most keys: the other function would do the same, after some questions.
  if (count == 8) {
    return finished(with_word(seed + prime_5 + 8, bytes));
  }
  return of_any_count(bytes, count, seed);
}
