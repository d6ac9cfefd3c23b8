#ifndef LOGSTORE_CSTATFS_SHIM_H
#define LOGSTORE_CSTATFS_SHIM_H
// Tells the kind of a file system; the C library's module for Swift leaves it out.
#ifdef __linux__
#include <sys/vfs.h>
#endif
#endif
