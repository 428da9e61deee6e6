/* SPDX-License-Identifier: Apache-2.0
 * Bringing up the OS layer, and what the way in has told us. */
#ifndef LP_OS_INIT_H
#define LP_OS_INIT_H
#include "os/linux/boot.h"
#include "os/os.h"

extern const struct boot_info *os_boot;

/* Attach: from here on messages go to the program's stderr. */
void os_messages_to_program(void);

const char *os_program_path(void);  /* what /proc/self/exe shows natively */
const char *os_launcher_path(void);
#endif
