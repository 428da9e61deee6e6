/* SPDX-License-Identifier: Apache-2.0
 * What is in the rows that scripts/gen-syscalls makes of syscalls.tsv, where the kinds are explained. For C and C++:
 * the engine and the bundled tools read the same rows. */
#ifndef LP_LINUX_SYSCALL_INFO_H
#define LP_LINUX_SYSCALL_INFO_H

enum syscall_kind {
    SYSCALL_INT, SYSCALL_UINT, SYSCALL_SIZE, SYSCALL_OFF, SYSCALL_MODE, SYSCALL_FLAGS, SYSCALL_WORD, SYSCALL_FD,
    SYSCALL_PID, SYSCALL_SIG,
    SYSCALL_ADDR, SYSCALL_SOURCE, SYSCALL_SINK, SYSCALL_PATH, SYSCALL_STRING, SYSCALL_STRINGS,
    /* pointers: they have a way and an extent */
    SYSCALL_STRUCT, SYSCALL_BYTES, SYSCALL_BITS, SYSCALL_PAGES, SYSCALL_MESSAGE, SYSCALL_IOVEC, SYSCALL_MSGHDR,
    SYSCALL_MMSGHDR, SYSCALL_ANY,
};

enum syscall_way { SYSCALL_IN = 1, SYSCALL_OUT = 2 }; /* the memory is read, written; both bits: both */

/* How much memory there is. */
enum syscall_extent {
    SYSCALL_ONE,   /* `bytes` */
    SYSCALL_TIMES, /* `bytes` times argument `count` */
    SYSCALL_AT,    /* as many bytes as the 4 bytes at argument `count` say */
};

enum syscall_flag {
    SYSCALL_RESULT = 1,  /* only as much of it as the result says */
    SYSCALL_FAILURE = 2, /* also written when the call fails */
    SYSCALL_NARROW = 4,  /* the argument that counts has 32 bits */
};

#endif
