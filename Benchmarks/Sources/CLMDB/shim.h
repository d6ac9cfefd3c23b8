#ifndef LOGSTORE_BENCH_CLMDB_SHIM_H
#define LOGSTORE_BENCH_CLMDB_SHIM_H
#include <lmdb.h>
#endif
