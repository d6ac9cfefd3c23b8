#ifndef LOGSTORE_BENCH_CROCKSDB_SHIM_H
#define LOGSTORE_BENCH_CROCKSDB_SHIM_H
#include <rocksdb/c.h>
#endif
