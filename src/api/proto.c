/* SPDX-License-Identifier: Apache-2.0
 * PROTO_*: see proto.h. From any thread; a prototype is its maker's until it is freed. */
#include "api/proto.h"

#include "opt/objects.h"
#include "linchpin/enums.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ARGS 256

bool proto_ends(struct parg p) { return p.kind == PARG_END; }

bool proto_type(struct parg p, struct abi_type *t)
{
    *t = (struct abi_type){ABI_INT, false, p.bytes};
    switch (p.kind) {
    case PARG_VOID:
        t->cls = ABI_NONE;
        return true;
    case PARG_FLOAT: case PARG_DOUBLE:
        t->cls = ABI_FLOAT;
        return true;
    case PARG_CHAR: case PARG_SCHAR: case PARG_SHORT: case PARG_INT: case PARG_LONG: case PARG_LONGLONG: case PARG_ENUM:
        t->is_signed = true;
        return true;
    case PARG_POINTER: case PARG_BOOL: case PARG_UCHAR: case PARG_USHORT: case PARG_UINT: case PARG_ULONG:
    case PARG_ULONGLONG:
        return true;
    case PARG_AGGREGATE:
        t->cls = p.bytes > 16 ? ABI_MEMORY : ABI_INT;
        return p.bytes != 0;
    }
    return false;
}

static size_t bytes_of(u32 nargs) { return sizeof(struct abi_proto) + nargs * sizeof(struct abi_type); }

struct abi_proto *proto_copy(const struct abi_proto *p)
{
    struct abi_proto *n = malloc(bytes_of(p->nargs));
    if (!n)
        die(1, "out of memory for prototypes");
    memcpy(n, p, bytes_of(p->nargs));
    return n;
}

struct abi_proto *PROTO_Allocate(struct parg result, s32 standard, const char *name, ...)
{
    union {
        struct abi_proto p;
        u8 room[sizeof(struct abi_proto) + MAX_ARGS * sizeof(struct abi_type)];
    } u = {.p = {.nargs = 0}};
    va_list ap;
    (void)standard; /* there is one */
    if (!proto_type(result, &u.p.result) || u.p.result.cls == ABI_MEMORY)
        api_misuse("PROTO_Allocate", NULL, 0, "the result of %s: type %d of %u bytes cannot be described", name,
                   result.kind, result.bytes);
    va_start(ap, name);
    for (struct parg a = va_arg(ap, struct parg); !proto_ends(a); a = va_arg(ap, struct parg)) {
        struct abi_type t;
        if (u.p.nargs == MAX_ARGS || !proto_type(a, &t) || t.cls == ABI_NONE)
            api_misuse("PROTO_Allocate", NULL, 0,
                       "argument %u of %s: type %d of %u bytes is not one; is PIN_PARG_END() missing?", u.p.nargs, name,
                       a.kind, a.bytes);
        u.p.arg[u.p.nargs++] = t;
    }
    va_end(ap);
    return proto_copy(&u.p);
}

void PROTO_Free(struct abi_proto *p) { free(p); }
