/* SPDX-License-Identifier: Apache-2.0
 * Bringing up the OS layer, and what the way in has told us. */
#ifndef LP_OS_INIT_H
#define LP_OS_INIT_H
#include "os/linux/boot.h"

extern const struct boot_info *os_boot;

/* The block that the way in has mapped; dies with a message when there is none or it is not ours. */
const struct boot_info *os_find_boot(void);
/* The first thread's state and everything below the jit. The CPU is known (arch_init_cpu). */
void os_init(const struct boot_info *boot);
/* Attach: from here on messages go to the program's stderr. */
void os_messages_to_program(void);
/* The last act before guest code runs: the guest gets its address space. */
void os_release_guest(void);

const char *os_program_path(void);  /* what /proc/self/exe shows natively */
const char *os_launcher_path(void);
#endif
