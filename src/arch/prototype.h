/* SPDX-License-Identifier: Apache-2.0
 * The prototype of a function, in the terms of calling conventions: which kinds of arguments it takes. Where they are
 * is the architecture's. */
#ifndef LP_ARCH_PROTOTYPE_H
#define LP_ARCH_PROTOTYPE_H
#include "base/base.h"

enum abi_class { ABI_NONE, ABI_INT, ABI_FLOAT, ABI_MEMORY };

/* A type. Aggregates are taken to hold no floating point: up to 16 bytes go in one or two general registers, larger
 * ones in memory. */
struct abi_type {
    u8 cls;
    bool is_signed;
    u32 bytes;
};

struct abi_proto {
    struct abi_type result;
    u32 nargs;
    struct abi_type arg[];
};

#endif
