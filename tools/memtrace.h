/* SPDX-License-Identifier: Apache-2.0
 * The file that memtrace writes and linchpin-memtrace reads: MEMTRACE_MAGIC and records, compressed together with zstd. Records of one thread are in the order in which it made the accesses. */
#ifndef MEMTRACE_H
#define MEMTRACE_H
#include <stdint.h>

#define MEMTRACE_MAGIC "LPMEM 1\n" /* 8 bytes */

struct MemtraceRecord {
    uint64_t pc, address;
    uint32_t bytes, thread;
    uint64_t write; /* 0: a read */
};

#endif
