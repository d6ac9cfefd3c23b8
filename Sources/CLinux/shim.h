#ifndef LOGSTORE_CLINUX_SHIM_H
#define LOGSTORE_CLINUX_SHIM_H
// What Linux has and the C library's module for Swift leaves out; nothing on other systems.
#ifdef __linux__
#include <sys/vfs.h>

/// Begins to write the changed pages of a range of a file; declared by <fcntl.h> on request.
extern int sync_file_range(int descriptor, long long start, long long count, unsigned int flags);
#endif
#endif
