/* SPDX-License-Identifier: Apache-2.0
 * Where the members of the guest's kernel's structures are, by the description of its types (BTF) that it has in its
 * own memory. A table of types follows a header, each with what its kind says; names are offsets into a table of
 * strings. Under the client lock. */
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

#define BTF_MAGIC 0xeb9f
#define MOST_BYTES (64ul << 20)
#define MOST_DEPTH 4 /* of structures without a name in others */

struct header {
    u16 magic;
    u8 version, flags;
    u32 header_bytes, types, types_bytes, strings, strings_bytes;
};
struct type {
    u32 name, info, size_or_type;
};
struct member {
    u32 name, type, offset; /* in bits */
};
enum { KIND_INT = 1, KIND_ARRAY = 3, KIND_STRUCT, KIND_UNION, KIND_ENUM, KIND_FUNC_PROTO = 13, KIND_VAR, KIND_DATASEC,
       KIND_DECL_TAG = 17, KIND_ENUM64 = 19 };

static struct {
    u8 *at;
    const u8 *types, *types_end;
    const char *strings;
    u32 strings_bytes;
} btf;

static u32 kind_of(const struct type *t) { return t->info >> 24 & 31; }
static u32 length_of(const struct type *t) { return t->info & 0xffff; }
static const char *name_at(u32 offset) { return offset < btf.strings_bytes ? btf.strings + offset : ""; }

static u64 bytes_of(const struct type *t)
{
    u64 n = length_of(t);
    switch (kind_of(t)) {
    case KIND_INT: case KIND_VAR: case KIND_DECL_TAG: return sizeof *t + 4;
    case KIND_ARRAY: return sizeof *t + 12;
    case KIND_STRUCT: case KIND_UNION: case KIND_DATASEC: case KIND_ENUM64: return sizeof *t + 12 * n;
    case KIND_ENUM: case KIND_FUNC_PROTO: return sizeof *t + 8 * n;
    }
    return sizeof *t;
}

static const struct type *next(const struct type *t)
{
    const u8 *p = (const u8 *)t + bytes_of(t);
    return p + sizeof *t <= btf.types_end && p + bytes_of((const struct type *)p) <= btf.types_end
               ? (const struct type *)p : NULL;
}

/* Types are numbered from 1 on. */
static const struct type *numbered(u32 number)
{
    const struct type *t = (const struct type *)btf.types;
    for (u32 n = 1; t && n < number; n++)
        t = next(t);
    return t;
}

static bool find_in(const struct type *t, const char *name, u32 depth, u64 *offset)
{
    const struct member *m = (const struct member *)(t + 1);
    for (u32 i = 0; i < length_of(t); i++) {
        u32 bits = t->info >> 31 ? m[i].offset & 0xffffff : m[i].offset;
        if (strcmp(name_at(m[i].name), name) == 0)
            return *offset += bits / 8, true;
        const struct type *inner = m[i].name || depth == MOST_DEPTH ? NULL : numbered(m[i].type);
        if (inner && (kind_of(inner) == KIND_STRUCT || kind_of(inner) == KIND_UNION) &&
            find_in(inner, name, depth + 1, offset))
            return *offset += bits / 8, true;
    }
    return false;
}

bool btf_open(u64 start, u64 end)
{
    struct header h;
    u64 bytes = end - start;
    if (end < start || bytes < sizeof h || bytes > MOST_BYTES || !(btf.at = malloc(bytes)))
        return false;
    bool good = guest_read_memory(start, btf.at, bytes);
    memcpy(&h, btf.at, sizeof h);
    good = good && h.magic == BTF_MAGIC && (u64)h.header_bytes + h.types + h.types_bytes <= bytes &&
           (u64)h.header_bytes + h.strings + h.strings_bytes <= bytes && h.types_bytes > sizeof(struct type) &&
           h.strings_bytes;
    if (!good)
        return btf_close(), false;
    btf.types = btf.at + h.header_bytes + h.types;
    btf.types_end = btf.types + h.types_bytes;
    btf.strings = (const char *)btf.at + h.header_bytes + h.strings;
    btf.strings_bytes = h.strings_bytes;
    return btf.strings[btf.strings_bytes - 1] == '\0';
}

bool btf_member(const char *structure, const char *member, u32 *offset)
{
    u64 found = 0;
    for (const struct type *t = (const struct type *)btf.types; t; t = next(t))
        if (kind_of(t) == KIND_STRUCT && strcmp(name_at(t->name), structure) == 0 && find_in(t, member, 0, &found))
            return *offset = (u32)found, true;
    return false;
}

void btf_close(void)
{
    free(btf.at);
    btf.at = NULL;
}
