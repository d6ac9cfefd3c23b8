#ifndef LOGSTORE_CLINUX_SHIM_H
#define LOGSTORE_CLINUX_SHIM_H
// What Linux has and the C library's module for Swift leaves out; nothing on other systems.
#ifdef __linux__
#include <sys/vfs.h>

/// Begins to write the changed pages of a range of a file; declared by <fcntl.h> on request.
extern int sync_file_range(int descriptor, long long start, long long count, unsigned int flags);

/// Tells on which processors a thread may run, in `byte_count` bytes at `processors`, the calling
/// one for 0; declared by <sched.h> on request.
extern int sched_getaffinity(int thread, unsigned long byte_count, unsigned long *processors);
#endif
#endif
