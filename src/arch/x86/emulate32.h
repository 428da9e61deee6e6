/* SPDX-License-Identifier: Apache-2.0
 * What the VM carries out of IA-32 programs: instructions, and the descriptors of set_thread_area. */
#ifndef LP_X86_EMULATE32_H
#define LP_X86_EMULATE32_H
#include "cpu.h"

enum { SELECTOR_FS, SELECTOR_GS };
#define EMULATE32_AREA_FIRST 12 /* number of the first descriptor of set_thread_area */

/* The instruction at c's pc; a fault that it raises is raised for the guest. */
void emulate32(struct cpu_state *c);
/* What the guest's segment register has. */
u16 emulate32_selector(u32 which);
/* set_thread_area for the calling thread: 0 or -errno. *entry -1: any that is free. */
s64 emulate32_set_area(int *entry, u32 base);

#endif
