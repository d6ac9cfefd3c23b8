#ifndef LOGSTORE_BENCH_CSQLITE_SHIM_H
#define LOGSTORE_BENCH_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
