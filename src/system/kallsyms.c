/* SPDX-License-Identifier: Apache-2.0
 * The symbols of a Linux kernel out of its own memory (kallsyms), as versions 4.20 to 6.3 keep them there. In
 * order, each at a multiple of 8: offsets of the symbols (u32) to a base, the base (u64), the number of symbols
 * (u32), their names, a marker for each 256th name (its offset among the names, u32), in later versions the order
 * of the names, 256 tokens, and the offset of each token (u16). A name is a length and that many tokens, which
 * together are its type and itself. The tokens of digits are these alone, by which they are found; all the rest
 * must fit. Under the client lock, once. */
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (160ul << 20) /* of a kernel in memory */
#define PIECE (2ul << 20)        /* a kernel begins at a multiple of it */
#define TOKENS 256
#define NAMES_OF_MARKER 256
#define NAME_BYTES 512
#define LEAST_MARKERS 16
#define MOST_BETWEEN (4ul << 20) /* markers and tokens */

static struct {
    u8 *at;
    u64 bytes, address;
    u64 tokens, token_index, markers, nmarkers, names, numbers; /* offsets in the memory, but nmarkers */
    u32 count;
} kernel;

static u64 align8(u64 v) { return (v + 7) & ~7ul; }
static u32 word(u64 at) { return *(const u32 *)(kernel.at + at); }
static u16 token_start(u32 n) { return ((const u16 *)(kernel.at + kernel.token_index))[n]; }

/* The memory around the kernel's code at pc, as far as it is there. */
static bool read_kernel(u64 pc)
{
    u8 probe;
    u64 start = pc & ~(PIECE - 1);
    while (pc - start < MOST_BYTES / 2 && guest_read_memory(start - 1, &probe, 1))
        start -= PIECE;
    kernel.address = start;
    kernel.at = malloc(MOST_BYTES);
    for (kernel.bytes = 0; kernel.at && kernel.bytes < MOST_BYTES; kernel.bytes += PAGE_BYTES)
        if (start + kernel.bytes < start || /* the end of the address space */
            !guest_read_memory(start + kernel.bytes, kernel.at + kernel.bytes, PAGE_BYTES))
            break;
    return kernel.bytes > PIECE;
}

/* --- tokens --- */

/* Where the table begins of which this is token '0'; 0: it is none. */
static u64 table_start(u64 digit)
{
    u64 at = digit;
    for (u32 n = 0; n < '0'; n++) {
        if (at < 2 || kernel.at[at - 1])
            return 0;
        for (at--; at && kernel.at[at - 1];)
            at--;
    }
    return at;
}

static bool take_tokens(u64 start)
{
    u64 at = start;
    u16 expected[TOKENS];
    for (u32 n = 0; n < TOKENS; n++) {
        expected[n] = (u16)(at - start);
        at += strnlen((char *)kernel.at + at, kernel.bytes - at) + 1;
        if (at + sizeof expected + 16 > kernel.bytes)
            return false;
    }
    kernel.tokens = start;
    kernel.token_index = align8(at);
    return memcmp(kernel.at + kernel.token_index, expected, sizeof expected) == 0;
}

static bool find_tokens(void)
{
    static const char digits[] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";
    for (u8 *p = kernel.at; (p = memmem(p, kernel.bytes - (u64)(p - kernel.at), digits, sizeof digits)); p++) {
        u64 start = table_start((u64)(p - kernel.at));
        if (start && start % 8 == 0 && take_tokens(start))
            return true;
    }
    return false;
}

/* --- names --- */

/* Can the second word be the marker after the first? */
static bool follows(u32 a, u32 b) { return b > a && b - a >= NAMES_OF_MARKER && b - a <= NAMES_OF_MARKER * NAME_BYTES; }

static u32 markers_below(u64 end)
{
    u32 n = 1;
    for (u64 at = end - 4; at >= 4 && word(at) && follows(word(at - 4), word(at)); at -= 4)
        n++;
    return n;
}

/* The last long row of rising words before the tokens; it begins with 0. */
static bool find_markers(void)
{
    u64 end = kernel.tokens, lowest = end > MOST_BETWEEN ? end - MOST_BETWEEN : LEAST_MARKERS * 4;
    for (; end > lowest; end -= 4) {
        kernel.nmarkers = follows(word(end - 8), word(end - 4)) ? markers_below(end) : 0;
        kernel.markers = end - 4 * kernel.nmarkers;
        if (kernel.nmarkers >= LEAST_MARKERS)
            return !word(kernel.markers);
    }
    return false;
}

/* The name's length, and what it begins after. */
static u32 length_at(u64 *at)
{
    u32 n = kernel.at[(*at)++];
    return n & 0x80 ? (n & 0x7f) | (u32)kernel.at[(*at)++] << 7 : n;
}

/* Do the first names fill the space that the first markers say? */
static bool names_fit(u64 names)
{
    u64 at = names;
    for (u32 m = 1; m < 4; m++) {
        for (u32 n = 0; n < NAMES_OF_MARKER; n++) {
            u32 length = length_at(&at);
            at += length;
            if (!length || at >= kernel.markers)
                return false;
        }
        if (at - names != word(kernel.markers + 4 * m))
            return false;
    }
    return true;
}

/* They are about as long as the last marker says. */
static bool find_names(void)
{
    u64 least = word(kernel.markers + 4 * (kernel.nmarkers - 1)), most = least + NAMES_OF_MARKER * NAME_BYTES;
    for (u64 back = align8(least); back < most && kernel.markers >= back + 16; back += 8) {
        u64 names = kernel.markers - back;
        u32 n = word(names - 8);
        if ((n + NAMES_OF_MARKER - 1) / NAMES_OF_MARKER == kernel.nmarkers && names_fit(names)) {
            kernel.names = names;
            kernel.count = n;
            kernel.numbers = names - 16 - align8(4ul * n);
            return true;
        }
    }
    return false;
}

/* --- symbols --- */

static char *expand(u64 *at, char name[NAME_BYTES])
{
    u32 length = length_at(at), n = 0;
    for (u32 i = 0; i < length; i++)
        for (const u8 *t = kernel.at + kernel.tokens + token_start(kernel.at[*at + i]); *t && n < NAME_BYTES - 1; t++)
            name[n++] = (char)*t;
    name[n] = '\0';
    *at += length;
    return name;
}

/* Those of processors' own data are offsets themselves; the others count down from the base. */
static u64 address_of(u32 i)
{
    s32 offset = (s32)word(kernel.numbers + 4ul * i);
    u64 base = *(const u64 *)(kernel.at + kernel.names - 16);
    return offset >= 0 ? (u64)offset : base - 1 - (u64)(s64)offset;
}

bool kallsyms_read(u64 pc, void (*each)(u64 address, char type, const char *name))
{
    char name[NAME_BYTES];
    bool good = read_kernel(pc) && find_tokens() && find_markers() && find_names();
    u64 at = kernel.names;
    for (u32 i = 0; good && i < kernel.count && at < kernel.markers; i++) {
        expand(&at, name);
        each(address_of(i), name[0], name + 1);
    }
    free(kernel.at);
    kernel.at = NULL;
    return good;
}
