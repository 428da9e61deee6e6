// All sixteen conditions against all sixty-four flag settings: short and near jumps, setcc and cmovcc agree.
#include "a_guest.h"

#define CONDITIONS(X) X(o) X(no) X(b) X(ae) X(e) X(ne) X(be) X(a) X(s) X(ns) X(p) X(np) X(l) X(ge) X(le) X(g)

#define TEST(cc)                                                                                                                \
    static unsigned test_##cc(uint64_t fl)                                                                                      \
    {                                                                                                                           \
        uint64_t near_taken = 1, short_taken = 1, set = 0, moved = 0, after;                                                    \
        __asm__ volatile("push %5; popfq\n j" #cc " 1f; dec %b0; 1: pushfq; pop %4; push %5; popfq\n"                      \
                         "set" #cc " %b2; cmov" #cc " %6, %3; push %5; popfq\n j" #cc " 2f; dec %b1; jmp 2f; .skip 200, 0x90; 2:" \
                         : "+q"(short_taken), "+q"(near_taken), "+q"(set), "+r"(moved), "=&r"(after)                            \
                         : "r"(fl), "r"(1ul)                                                                                    \
                         : "cc", "rax");                                                                                        \
        CHECK(short_taken == near_taken && set == moved && set == short_taken);                                                 \
        CHECK(!short_taken || ((after ^ fl) & FLAGS_ALL) == 0);                                                                 \
        return (unsigned)set;                                                                                                   \
    }
CONDITIONS(TEST)

int main(void)
{
    static const struct {
        const char *name;
        unsigned (*test)(uint64_t);
    } tests[] = {
#define ROW(cc) {#cc, test_##cc},
        CONDITIONS(ROW)};
    static const unsigned bits[] = {0x1, 0x4, 0x10, 0x40, 0x80, 0x800};
    for (int t = 0; t < 16; t++) {
        printf("%-2s ", tests[t].name);
        for (unsigned i = 0; i < 64; i++) {
            uint64_t fl = 0x202;
            for (int b = 0; b < 6; b++)
                fl |= i >> b & 1 ? bits[b] : 0;
            printf("%u", tests[t].test(fl));
        }
        printf("\n");
    }
    return 0;
}
