/* SPDX-License-Identifier: Apache-2.0
 * RISC-V 64, for the launcher: names, and places in the address space, which are low because static code cannot be
 * linked above 2 GiB. */
#ifndef LP_RISCV64_MACHINE_LAYOUT_H
#define LP_RISCV64_MACHINE_LAYOUT_H

#define MACHINE_ELF EM_RISCV
#define MACHINE_NAME "RISC-V 64"
#define MACHINE_A_NAME "a RISC-V 64"
#define MACHINE_PLATFORM "riscv64"
#define USER_END ((1ul << 47) - PAGE_BYTES) /* of the largest address space */
#define NARROW_END USER_END                 /* there are no narrow programs */
#define NARROW_PIE_BASE 0ul
#define NARROW_PLATFORM MACHINE_PLATFORM
#define PARK_ADDR 0x16000000ul              /* the vdso waits here while the program gets its place */
#define OWN_BASE 0x17000000ul               /* memory of the launcher, beside its image (build.mk) */
#define MMAP_DOWNWARDS_FROM (1ul << 46)
#define HOST_TOP (~0ul) /* no place is known to be better than another */
#define PLACEHOLDER_MOST_BYTES (256ul << 20) /* of 256 GiB in the smallest address space (host.c) */

#endif
