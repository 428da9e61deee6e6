/* SPDX-License-Identifier: Apache-2.0
 * EXCEPTION_INFO from what the kernel says about a fault. */
#ifndef LP_API_EXCEPTIONS_H
#define LP_API_EXCEPTIONS_H
#include "linchpin/structs.h"
#include "os/fault.h"

VOID PIN_InitExceptionInfo(EXCEPTION_INFO *info, EXCEPTION_CODE code, ADDRINT address);
VOID PIN_InitAccessFaultInfo(EXCEPTION_INFO *info, EXCEPTION_CODE code, ADDRINT address, ADDRINT access,
                             FAULTY_ACCESS_TYPE type);
EXCEPTION_CLASS PIN_GetExceptionClass(EXCEPTION_CODE code);

/* Makes *out from a fault of the instruction at pc. */
void exception_from_fault(EXCEPTION_INFO *out, const struct os_fault_info *f, u64 pc);
/* "exception ... at ..." into a text of the calling thread. */
const char *exception_text(const EXCEPTION_INFO *info);

#endif
