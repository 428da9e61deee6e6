/* SPDX-License-Identifier: Apache-2.0
 * PIN_Backtrace: the guest's pc and its callers; the start for another unwinder; and what tools call to name the
 * addresses. Any thread; takes image_lock. */
#include "api/usage.h"
#include "opt/objects.h"
#include "context.h"
#include "os/hostsym.h"
#include "image/image.h"
#include "image/unwind.h"

#include <stdlib.h>
#include <string.h>

int PIN_Backtrace(const struct bridge_state *c, void **to, int room)
{
    struct unwind u = {0};
    int n = 0;
    if (!context_valid(c))
        api_misuse("PIN_Backtrace", NULL, 0, "the context has nothing in it");
    u.pc = context_to_dwarf(c, u.reg, &u.sp, &u.fp);
    image_lock();
    do {
        if (n == room)
            break;
        to[n++] = (void *)u.reg[u.pc];
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

/* "function+0x1 at file+0x2", as tools for Pin read it: its C library's function of that name takes the guest's
 * addresses, too, and libc's knows only the host's. */
static int name_address(const void *address, char *out, size_t room)
{
    struct hostsym sym;
    if (!hostsym_find((u64)address, &sym) || !*sym.module)
        return base_format(out, room, "%p", address);
    if (!*sym.name)
        return base_format(out, room, "%s+0x%lx", sym.module, sym.offset);
    return base_format(out, room, "%s+0x%lx at %s+0x%lx", sym.name, sym.into, sym.module, sym.offset);
}

/* One block of memory, which the caller frees: the pointers, then the texts. NULL: there is no memory. */
char **backtrace_symbols(void *const *address, int n);
char **backtrace_symbols(void *const *address, int n)
{
    char line[4608];
    size_t used = (size_t)(n > 0 ? n : 0) * sizeof(char *);
    char **text = malloc(used + 1);
    for (int i = 0; text && i < n; i++) {
        size_t bytes = (size_t)name_address(address[i], line, sizeof line) + 1;
        char **more = realloc(text, used + bytes);
        if (!more) {
            free(text);
            return NULL;
        }
        text = more;
        memcpy((char *)text + used, line, bytes);
        text[i] = (char *)used;
        used += bytes;
    }
    for (int i = 0; text && i < n; i++)
        text[i] = (char *)text + (size_t)text[i];
    return text;
}
