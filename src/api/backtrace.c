/* SPDX-License-Identifier: Apache-2.0
 * PIN_Backtrace: the guest's pc and its callers; and the start for another unwinder. Any thread; takes image_lock. */
#include "opt/objects.h"
#include "context.h"
#include "image/image.h"
#include "image/unwind.h"

int PIN_Backtrace(const struct bridge_state *c, void **to, int room)
{
    struct unwind u = {0};
    int n = 0;
    if (!context_valid(c))
        api_misuse("PIN_Backtrace", NULL, 0, "the context has nothing in it");
    context_to_dwarf(c, u.reg, &u.sp, &u.fp);
    image_lock();
    do {
        if (n == room)
            break;
        to[n++] = (void *)u.reg[DWARF_REGS - 1];
    } while (unwind_step(&u));
    image_unlock();
    return n;
}

/* A ucontext_t, which is libunwind's unw_context_t as well. 0: done. */
int PIN_GetInitialContextForUnwind(const struct bridge_state *c, void *to)
{
    if (!context_valid(c))
        api_misuse("PIN_GetInitialContextForUnwind", NULL, 0, "the context has nothing in it");
    context_to_ucontext(c, to);
    return 0;
}
