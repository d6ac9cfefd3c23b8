#ifndef LOGSTORE_BENCH_CLEVELDB_SHIM_H
#define LOGSTORE_BENCH_CLEVELDB_SHIM_H
#include <leveldb/c.h>
#endif
