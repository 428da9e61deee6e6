/* SPDX-License-Identifier: Apache-2.0
 * What every unit test includes: cmocka in the order it needs, and a reproducible source of random numbers. */
#ifndef LP_UNIT_H
#define LP_UNIT_H
#include "base/base.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

/* For a test that reads the process' mappings twice and wants to see the same: the heap of AddressSanitizer maps more whenever it likes. */
#ifdef __SANITIZE_ADDRESS__
#define UNIT_NOT_UNDER_ASAN() skip()
#else
#define UNIT_NOT_UNDER_ASAN() (void)0
#endif

/* xorshift: the same numbers on every machine; LP_SEED chooses others. */
static u64 unit_random_state;
static inline u64 unit_random_next(u64 *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline u64 unit_random(u64 below)
{
    if (!unit_random_state) {
        const char *seed = getenv("LP_SEED");
        unit_random_state = (seed ? strtoul(seed, NULL, 0) : 0) * 2 + 0x9e3779b97f4a7c15ul;
    }
    return unit_random_next(&unit_random_state) % below;
}

#endif
