/* SPDX-License-Identifier: Apache-2.0
 * Which system calls make and close descriptors, map memory or limit it, the host's (hostcalls.c) and the guest's
 * (syscall.c) alike: what os_host_calls has for each number, once hostcalls_init has run. */
#ifndef LP_HOSTCALLS_H
#define LP_HOSTCALLS_H
#include "base/base.h"

enum {
    CALL_OTHER,
    CALL_FD,      /* the result is a new descriptor; so it is of the next three */
    CALL_OPEN,    /* path, flags */
    CALL_OPENAT,  /* directory, path, flags */
    CALL_ACCEPT,
    CALL_FCNTL,
    CALL_IOCTL,
    CALL_PIPE,    /* two, at the first argument */
    CALL_SOCKETS, /* two, at the fourth */
    CALL_MESSAGE,
    CALL_MESSAGES,
    CALL_CLOSE,
    CALL_CLOSE_RANGE,
    CALL_MEMORY,  /* maps, moves or unmaps */
    CALL_LIMIT,   /* limits of resources */
    CALL_DUP_TO,  /* the caller says which number */
};

void hostcalls_init(void);

#endif
