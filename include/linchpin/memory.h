/* SPDX-License-Identifier: Apache-2.0
 * Of Linchpin, not of Pin: the program's memory as the program sees it, without the engine's and the tool's. */
#ifndef LINCHPIN_MEMORY_H
#define LINCHPIN_MEMORY_H
#include "types.h"

LP_BEGIN
#ifdef __cplusplus
extern "C" {
#endif

enum { LP_MEMORY_READ = 1, LP_MEMORY_WRITE = 2, LP_MEMORY_EXECUTE = 4, LP_MEMORY_SHARED = 8, LP_MEMORY_FILE = 16 };

struct lp_memory_area {
    LP_ADDRESS low, high; /* high: the first address after it */
    UINT32 flags;      /* LP_MEMORY_* */
};

/* The area that the address is in, or the first one after it. FALSE: there is none. Any thread, at any time; what it tells may have changed when it returns. */
BOOL lp_next_memory(LP_ADDRESS address, struct lp_memory_area *area);

#ifdef __cplusplus
}
#endif
LP_END
#endif
