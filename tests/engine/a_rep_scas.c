// scas and cmps: rep, repe, repne, both directions, zero counts (flags and registers unchanged), early and late ends.
#include "a_guest.h"

static const char text[] = "aaaaaaaabbbbbbbbccccccccaaaaaaaaddddddddaaaaaaaabbbbbbbbccccccccaaaaaaaadddddddd";

static void show(const char *op, uint64_t n, const char *si, const char *di, uint64_t cx, uint64_t fl)
{
    printf("%s %lu: si %ld di %ld cx %lu fl %03lx\n", op, n, si - text, di - text, cx, fl & FLAGS_ALL);
}

#define RUN(op)                                                                                                                 \
    for (uint64_t n = 0; n < 40; n += 1 + n / 2) {                                                                              \
        const char *si = text + 40, *di = text + 24;                                                                            \
        uint64_t cx = n, fl, ax = 0x6161616161616161;                                                                           \
        __asm__ volatile("cmp %%al, %%ah; stc; " op "; pushfq; cld; pop %3" : "+S"(si), "+D"(di), "+c"(cx), "=r"(fl), "+a"(ax)::"memory", "cc"); \
        show(op, n, si, di, cx, fl);                                                                                            \
    }

int main(void)
{
    RUN("repe scasb")
    RUN("repne scasb")
    RUN("repe scasq")
    RUN("repne scasl")
    RUN("std; repe scasb")
    RUN("std; repne scasw")
    RUN("repe cmpsb")
    RUN("repne cmpsb")
    RUN("repe cmpsq")
    RUN("std; repe cmpsb")
    RUN("std; repne cmpsl")
    RUN("scasb")
    RUN("cmpsw")
    return 0;
}
