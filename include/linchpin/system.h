/* SPDX-License-Identifier: Apache-2.0
 * Of Linchpin, not of Pin: what a tool can ask of a whole system (linchpin system, docs/system.md). All of it is there only then: a tool that is for programs, too, looks
 * whether lp_whole_system has an address. pin.H does not include this. */
#ifndef LINCHPIN_SYSTEM_H
#define LINCHPIN_SYSTEM_H
#include "types.h"

LP_BEGIN
#ifdef __cplusplus
extern "C" {
#endif

#define LP_SYSTEM __attribute__((weak))

extern LP_SYSTEM const bool lp_whole_system;

/* The privilege level of the code that is being instrumented: 0 is the kernel's, 3 that of programs; -1: none is. */
LP_SYSTEM INT32 lp_code_privilege(VOID);
/* Of a processor whose addresses have two halves, is this one in the kernel's? By the address alone. */
LP_SYSTEM BOOL lp_kernel_half(ADDRINT address);

/* "processor 0"; with -threads guest also "sh[123]", a task as the guest's kernel calls it now. NULL: no such thread. Until the next call, and under the client lock. */
LP_SYSTEM const CHAR *lp_thread_name(THREADID thread);
/* Its process in the guest; -1: it is none of the guest's. */
LP_SYSTEM INT32 lp_thread_process(THREADID thread);

#ifdef __cplusplus
}
#endif
LP_END
#endif
