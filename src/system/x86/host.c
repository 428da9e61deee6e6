/* SPDX-License-Identifier: Apache-2.0
 * What the plugin has to know of the machine on which QEMU runs. */
#include "system/system.h"

#include <ucontext.h>

u64 fault_pc(const void *context) { return (u64)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]; }
