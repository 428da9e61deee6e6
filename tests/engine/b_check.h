/* SPDX-License-Identifier: Apache-2.0
 * What every b_ guest uses: unbuffered output (so that fork never doubles it) and a check that ends the guest. */
#ifndef B_CHECK_H
#define B_CHECK_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define say(...) dprintf(1, __VA_ARGS__)

#define CHECK(cond)                                                                             \
    do {                                                                                        \
        int check_errno = errno;                                                                \
        if (!(cond)) {                                                                          \
            say("FAIL %s:%d %s (errno %d, %d)\n", __FILE__, __LINE__, #cond, check_errno, errno); \
            _exit(1);                                                                           \
        }                                                                                       \
        errno = check_errno;                                                                    \
    } while (0)

/* The call must fail with this errno. */
#define CHECK_ERR(call, err)                                                                    \
    do {                                                                                        \
        errno = 0;                                                                              \
        long check_ret = (long)(call);                                                          \
        if (check_ret != -1 || errno != (err)) {                                                \
            say("FAIL %s:%d %s gave %ld errno %d, not %s\n", __FILE__, __LINE__, #call, check_ret, errno, #err); \
            _exit(1);                                                                           \
        }                                                                                       \
    } while (0)
#endif
