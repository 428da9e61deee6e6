/* SPDX-License-Identifier: Apache-2.0
 * What the way in (src/launch: ptrace injector, in-process loader) hands to the engine. The block is mapped into the process, its address
 * comes in the host auxv under AT_LINCHPIN. */
#ifndef LP_BOOT_H
#define LP_BOOT_H
#include "base/base.h"
#include <sys/user.h>

#define AT_LINCHPIN 0x4c494e43ul /* "LINC" */
#define BOOT_MAGIC 0x4c50424f4f543031ul
#define BOOT_XSTATE_BYTES 16384
#define BOOT_RANGES 16
#define BOOT_HOLES 8
#define BOOT_TEXT_BYTES 65536

enum boot_mode { BOOT_LAUNCH, BOOT_INPROC };

struct boot_range {
    u64 start, end;
};

/* The limits that the engine's memory counts against: raised for it, as far as they may be, and kept for the guest by limits.c. */
enum { BOOT_LIMIT_AS, BOOT_LIMIT_DATA, BOOT_LIMITS };
struct boot_limit {
    u64 soft, hard;
};

struct boot_info {
    u64 magic;
    u32 bytes;                           /* sizeof: launcher and engine agree */
    u32 mode;                            /* enum boot_mode */
    struct user_regs_struct regs;        /* guest state at its first instruction; fs_base and gs_base 0 */
    u64 sigmask;                         /* guest's signal mask */
    u64 xstate_bytes;                    /* ptrace's NT_X86_XSTATE image */
    u8 xstate[BOOT_XSTATE_BYTES] __attribute__((aligned(64)));
    u64 brk;                             /* the guest's break */
    struct boot_range placeholder;       /* PROT_NONE mapping to unmap before the guest runs; 0,0: none */
    u32 nholes;                          /* more of the same: holes between the guest's own mappings (images with distant or aligned segments) */
    struct boot_range hole[BOOT_HOLES];  /* to unmap together with the placeholder */
    u32 nhost;                           /* host mappings made by the way in: this block, ld.so, the engine, host stack, launcher's image */
    struct boot_range host[BOOT_RANGES];
    gpc_t guest_entry;                   /* AT_ENTRY of the program (not of its interpreter) */
    u64 guest_auxv, guest_auxv_bytes;    /* where the guest's auxv is on its stack (in-process: built by the loader) */
    struct boot_limit limit[BOOT_LIMITS]; /* as the program has inherited them */
    u32 argc;                            /* engine command line: options, then "-t" TOOL and its options */
    u32 exe_off;                         /* offset in text: guest program's absolute path (what /proc/self/exe shows natively) */
    u32 launcher_off;                    /* offset in text: absolute path of the linchpin command, for -follow_execv */
    u32 text_bytes;
    char text[BOOT_TEXT_BYTES];          /* argc zero-terminated strings, then exe and launcher paths */
};

#endif
