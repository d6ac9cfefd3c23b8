#ifndef LOGSTORE_BENCH_CPREFETCH_H
#define LOGSTORE_BENCH_CPREFETCH_H

// Starts bringing `count` bytes from `address` on into the processor's cache.
static inline void logstore_bench_prefetch(const void *address, long count) {
  const char *bytes = (const char *)address;
  for (long offset = 0; offset < count; offset += 64) __builtin_prefetch(bytes + offset);
  if (count > 0) __builtin_prefetch(bytes + count - 1);
}

#endif
