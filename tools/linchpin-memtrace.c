/* SPDX-License-Identifier: Apache-2.0
 * linchpin-memtrace: prints a trace that the tool memtrace has written, as pinatrace prints it: the instruction, R or W, the address and the number of bytes. */
#include "memtrace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const char *path;

static void fail(const char *why)
{
    fprintf(stderr, "linchpin-memtrace: %s: %s\n", path, why);
    exit(1);
}

/* Reads exactly so many bytes of what was compressed; 0: the end. */
static int read_bytes(FILE *f, ZSTD_DStream *stream, void *to, size_t n)
{
    static char packed[1 << 17];
    static ZSTD_inBuffer in = {packed, 0, 0};
    static size_t pending; /* 0: the trace is complete */
    ZSTD_outBuffer out = {to, n, 0};
    while (out.pos < n) {
        size_t before = out.pos + in.pos;
        size_t hint = ZSTD_decompressStream(stream, &out, &in);
        if (ZSTD_isError(hint))
            fail("this is not a trace, or it is damaged");
        if (out.pos + in.pos != before) {
            pending = hint;
            continue;
        }
        in.pos = 0;
        in.size = fread(packed, 1, sizeof packed, f);
        if (in.size)
            continue;
        if (ferror(f))
            fail(strerror(errno));
        if (out.pos || pending)
            fail("ends before its end: was the program killed?");
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 && !strcmp(argv[1], "-threads");
    if (argc != 2 + threads || argv[1 + threads][0] == '-') {
        fprintf(stderr, "usage: linchpin-memtrace [-threads] FILE\nPrints a trace of the tool memtrace; -threads: with the number of the thread in front.\n");
        return 1;
    }
    path = argv[1 + threads];
    FILE *f = fopen(path, "rb");
    if (!f)
        fail(strerror(errno));
    ZSTD_DStream *stream = ZSTD_createDStream();
    char magic[8];
    struct MemtraceRecord r;
    if (!read_bytes(f, stream, magic, sizeof magic) || memcmp(magic, MEMTRACE_MAGIC, sizeof magic))
        fail("not a trace of the tool memtrace");
    while (read_bytes(f, stream, &r, sizeof r)) {
        if (threads)
            printf("%u ", r.thread);
        printf("%lx %c %lx %u\n", r.pc, r.write ? 'W' : 'R', r.address, r.bytes);
    }
    return fflush(stdout) ? fail(strerror(errno)), 1 : 0;
}
