// test: wrap=setarch -R
// SPDX-License-Identifier: Apache-2.0
// The places that programs want for themselves, whoever else is there: sanitizers, Go, Java, Wine, QEMU, SBCL. They are free as natively, and what a sanitizer
// reserves so that nobody gets it can be reserved. The addresses are those of the programs' sources (compiler-rt 14 and 18, Go 1.19, OpenJDK 17, Wine 8, QEMU 7, SBCL 2.2).
#include "b_check.h"
#include <sys/mman.h>

struct place {
    const char *whose;
    uint64_t start, end;
};

/* Mapped with MAP_FIXED_NOREPLACE: nothing is there. */
static const struct place wanted[] = {
    { "ThreadSanitizer shadow", 0x010000000000, 0x200000000000 },
    { "ThreadSanitizer meta", 0x300000000000, 0x400000000000 },
    { "ThreadSanitizer traces", 0x600000000000, 0x620000000000 },
    { "ThreadSanitizer heap", 0x7b0000000000, 0x7c0000000000 },
    { "ThreadSanitizer 18 shadow", 0x100000000000, 0x300000000000 },
    { "ThreadSanitizer 18 meta", 0x300000000000, 0x380000000000 },
    { "ThreadSanitizer 18 heap", 0x720000000000, 0x730000000000 },
    { "ThreadSanitizer for Go, heap", 0x00c000000000, 0x00e000000000 },
    { "ThreadSanitizer for Go, shadow", 0x200000000000, 0x21c000000000 },
    { "MemorySanitizer shadow 2", 0x010000000000, 0x100000000000 },
    { "MemorySanitizer origin 2", 0x110000000000, 0x200000000000 },
    { "MemorySanitizer shadow 3, origin 3", 0x200000000000, 0x400000000000 },
    { "MemorySanitizer shadow 1", 0x500000000000, 0x510000000000 },
    { "MemorySanitizer origin 1", 0x600000000000, 0x610000000000 },
    { "MemorySanitizer allocator", 0x700000000000, 0x740000000000 },
    { "AddressSanitizer shadow", 0x00007fff8000, 0x10007fff8000 },
    { "AddressSanitizer allocator", 0x600000000000, 0x640000000000 },
    { "AddressSanitizer 18 allocator", 0x500000000000, 0x540000000000 },
    { "Go arena", 0x00c000000000, 0x00c100000000 },
    { "Go arena, seventh hint", 0x06c000000000, 0x06c100000000 },
    { "Java heap without a base", 0x000080000000, 0x000100000000 },
    { "Java heap at zero base", 0x000100000000, 0x000800000000 },
    { "Java classes", 0x000800000000, 0x000900000000 },
    { "Java ZGC", 0x040000000000, 0x140000000000 },
    { "Wine low memory", 0x000000110000, 0x000068000000 },
    { "Wine shared user data", 0x00007ffe0000, 0x00007fff0000 },
    { "Wine top down", 0x7ff000000000, 0x7ff400000000 },
    { "QEMU guest program", 0x000000400000, 0x000010000000 },
    { "QEMU 32-bit guest", 0x000100000000, 0x000200000000 },
    { "QEMU 64-bit guest", 0x004000000000, 0x005000000000 },
    { "SBCL dynamic space", 0x001000000000, 0x001200000000 },
};

/* Mapped with MAP_FIXED and no rights, so that nobody is there. */
static const struct place reserved[] = {
    { "ThreadSanitizer", 0x400000000000, 0x550000000000 },
    { "ThreadSanitizer", 0x620000000000, 0x7b0000000000 },
    { "ThreadSanitizer", 0x7c0000000000, 0x7e8000000000 },
    { "ThreadSanitizer 18", 0x5a0000000000, 0x720000000000 },
    { "ThreadSanitizer for Go", 0x620000000000, 0x7e0000000000 },
    { "MemorySanitizer", 0x610000000000, 0x700000000000 },
};

static void try(const struct place *p, int flags)
{
    uint64_t bytes = p->end - p->start;
    errno = 0;
    void *at = mmap((void *)p->start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    say("%s %lx: %s\n", p->whose, p->start, at == (void *)p->start ? "there" : strerror(errno));
    if (at != MAP_FAILED)
        CHECK(munmap(at, bytes) == 0);
}

/* What is reserved is for nobody, and the program goes on. */
static void reserve_all(void)
{
    for (unsigned i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        try(&reserved[i], MAP_FIXED);
        CHECK(mmap((void *)reserved[i].start, reserved[i].end - reserved[i].start, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED);
    }
    char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    strcpy(page, "goes on");
    say("%s\n", page);
}

int main(void)
{
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        try(&wanted[i], MAP_FIXED_NOREPLACE);
    reserve_all();
    return 0;
}
