/* SPDX-License-Identifier: Apache-2.0
 * Memory for trace buffers between two pages that cannot be touched: one byte too far, in either direction, is a fault and not somebody else's data. Knows nothing of records. */
#ifndef GUARDED_H
#define GUARDED_H
#include "pin.H"

#include <cstdlib>

static inline VOID *guarded_buffer(UINT32 pages)
{
    const USIZE page = 4096;
    VOID *p = 0;
    NATIVE_PID pid;
    OS_GetPid(&pid);
    OS_RETURN_CODE a = OS_AllocateMemory(pid, OS_PAGE_PROTECTION_TYPE_READ | OS_PAGE_PROTECTION_TYPE_WRITE, (pages + 2) * page, OS_MEMORY_FLAGS_PRIVATE, &p);
    CHAR *first = static_cast<CHAR *>(p), *last = first + (pages + 1) * page;
    OS_RETURN_CODE b = OS_ProtectMemory(pid, first, page, OS_PAGE_PROTECTION_TYPE_NOACCESS), c = OS_ProtectMemory(pid, last, page, OS_PAGE_PROTECTION_TYPE_NOACCESS);
    if (a.generic_err != OS_RETURN_CODE_NO_ERROR || b.generic_err != OS_RETURN_CODE_NO_ERROR || c.generic_err != OS_RETURN_CODE_NO_ERROR)
        std::abort();
    return first + page;
}
#endif
