/* SPDX-License-Identifier: Apache-2.0
 * x86-64, for the launcher: names, and places in the address space. */
#ifndef LP_X86_MACHINE_LAYOUT_H
#define LP_X86_MACHINE_LAYOUT_H

#define MACHINE_ELF EM_X86_64
#define MACHINE_ELF_NARROW EM_386           /* programs of 32 bits, which the engine runs, too */
#define MACHINE_NAME "x86-64"
#define MACHINE_A_NAME "an x86-64"
#define MACHINE_PLATFORM "x86_64"           /* AT_PLATFORM */
#define USER_END ((1ul << 47) - PAGE_BYTES)
#define NARROW_END 0xffffe000ul             /* of the address space of such a program, and of its stack */
#define NARROW_PIE_BASE 0x56555000ul        /* where the kernel puts it without randomisation */
#define NARROW_PLATFORM "i686"
#define PARK_ADDR 0x6b0000000000ul          /* the vdso waits here while the program gets its place */
#define OWN_BASE 0x6a1000000000ul           /* memory of the launcher, beside its image (build.mk) */
/* A bottom-up area starts at a third of the 47 bits, plus at most 1 TiB of randomness. */
#define MMAP_DOWNWARDS_FROM (1ul << 46)
/* Below this no program wants fixed addresses for itself, down to 0x640000000000: there sanitizers (ThreadSanitizer,
 * MemorySanitizer and DataFlowSanitizer) have nothing, AddressSanitizer and LeakSanitizer end, and everybody else
 * takes what the kernel gives. tests/engine/b_mem_layouts.c has the list. */
#define HOST_TOP 0x6e0000000000ul
#define PLACEHOLDER_MOST_BYTES (4ul << 40)   /* of 128 TiB (host.c) */

#endif
