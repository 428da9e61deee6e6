/* SPDX-License-Identifier: Apache-2.0
 * Memory that the guest finds at its start (-reserve_memory). */
#ifndef LP_LINUX_RESERVE_H
#define LP_LINUX_RESERVE_H
#include "base/base.h"

/* Maps the ranges that the file names. */
void reserve_ranges(const char *path);

#endif
