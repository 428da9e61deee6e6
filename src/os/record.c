/* SPDX-License-Identifier: Apache-2.0
 * What others look at to know whether a program is recorded or replayed (record.h). */
#include "os/record.h"

u32 os_record;
u64 os_ticks_left = ~0ul >> 1;
const char *os_recorded_program;
