/* SPDX-License-Identifier: Apache-2.0
 * The guest's two ELF images at start. */
#ifndef LP_GUESTIMAGE_H
#define LP_GUESTIMAGE_H
#include "os/linux/boot.h"
#include "os/linux/hostranges.h"

/* images[0]: the program, [1]: its interpreter; left alone if there is none. boot->guest_auxv must be set. */
void guestimage_find(const struct boot_info *boot, struct range images[2]);

#endif
