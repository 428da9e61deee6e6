/* SPDX-License-Identifier: Apache-2.0
 * Prototypes of guest functions, as tools give them (PROTO_Allocate), in the terms of the calling convention. */
#ifndef LP_API_PROTO_H
#define LP_API_PROTO_H
#include "arch/prototype.h"

#include <stdarg.h>

/* The tool's PARG_T. */
struct parg {
    s32 kind;
    u32 bytes;
};

/* False: not the type of an argument or result. */
bool proto_type(struct parg p, struct abi_type *t);
bool proto_ends(struct parg p);
/* A copy that lives as long as its owner. */
struct abi_proto *proto_copy(const struct abi_proto *p);

#endif
