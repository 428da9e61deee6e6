/* SPDX-License-Identifier: Apache-2.0
 * What is at a host address: for messages about faults in the tool. No malloc, no libc lock: usable in a signal
 * handler, whatever was interrupted. */
#ifndef LP_LINUX_HOSTSYM_H
#define LP_LINUX_HOSTSYM_H
#include "base/base.h"

struct hostsym {
    char module[4096]; /* path of the file, "" unknown */
    char name[256];    /* of the function, "" unknown */
    u64 offset;        /* in the module */
    u64 into;          /* in the function */
    bool engine;       /* it is linchpin-vm itself */
    bool code;         /* mapped executable */
};

bool hostsym_find(u64 pc, struct hostsym *out);
const char *hostsym_base_name(const struct hostsym *s);

#endif
