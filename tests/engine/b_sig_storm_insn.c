// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// Signals during every kind of instruction: string operations, push and pop, call and ret, indirect jumps, x87, flags.
#include "b_storm.h"
#include <ucontext.h>

static void on_usr1(int sig, siginfo_t *si, void *ctx)
{
    (void)sig, (void)si, (void)ctx;
    storm->hits++;
}

static unsigned char from[4000], to[4000];

static unsigned long strings(void)
{
    void *d = to, *s = from;
    unsigned long n = sizeof to, h = 0, left = sizeof to;
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
    CHECK(n == 0 && d == to + sizeof to && s == from + sizeof from);
    d = to;
    s = from;
    __asm__ volatile("repe cmpsb" : "+D"(d), "+S"(s), "+c"(left) : : "memory", "cc");
    CHECK(left == 0);
    d = to;
    left = sizeof to;
    __asm__ volatile("repne scasb" : "+D"(d), "+c"(left) : "a"(251) : "memory", "cc");
    d = to + sizeof to - 8;
    n = sizeof to / 8;
    __asm__ volatile("std; rep stosq; cld" : "+D"(d), "+c"(n) : "a"(left) : "memory", "cc");
    for (unsigned i = 0; i < sizeof to; i++)
        h = h * 31 + to[i];
    return h;
}

static unsigned long stack_and_calls(void)
{
    unsigned long r;
    __asm__ volatile("lea -256(%%rsp), %%rsp\n"
                     "mov $500, %%ecx; xor %%eax, %%eax\n"
                     "1: push %%rcx; push %%rax; call 3f; pop %%rdx; pop %%rcx; add %%rdx, %%rax\n"
                     "pushfq; popfq; push $77; pop %%rdx; add %%rdx, %%rax; rol $3, %%rax\n"
                     "lea 2f(%%rip), %%rdx; jmp *%%rdx; ud2\n"
                     "3: enter $32, $0; lea 7(%%rax,%%rcx), %%rax; leave; ret\n"
                     "2: lea 4f(%%rip), %%rdx; push %%rdx; ret; ud2\n"
                     "4: dec %%ecx; jnz 1b\n"
                     "lea 256(%%rsp), %%rsp"
                     : "=a"(r) : : "rcx", "rdx", "memory", "cc");
    return r;
}

static unsigned long x87(void)
{
    double x = 0;
    unsigned long bits;
    __asm__ volatile("fld1; fldpi; fldl2e; mov $300, %%ecx\n"
                     "1: fadd %%st(1), %%st; fxch %%st(2); fmul %%st(1), %%st; fsqrt; dec %%ecx; jnz 1b\n"
                     "faddp; faddp; fstpl %0" : "=m"(x) : : "rcx", "st", "st(1)", "st(2)", "cc");
    memcpy(&bits, &x, 8);
    return bits;
}

static unsigned long jumps(void)
{
    static void *const labels[] = { &&l0, &&l1, &&l2, &&l3 };
    unsigned long h = 1;
    for (unsigned i = 0; i < 500; i++) {
        goto *labels[h >> 5 & 3];
    l0: h = h * 33 + i; continue;
    l1: h ^= h << 7; h++; continue;
    l2: h = (h >> 1 | h << 63) - i; continue;
    l3: h += strlen((char *)from) + 5; continue;
    }
    return h;
}

int main(void)
{
    unsigned long (*const parts[])(void) = { strings, stack_and_calls, x87, jumps };
    unsigned long want[4];
    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = i * 7 % 251;
    from[3900] = 251;
    for (int i = 0; i < 4; i++)
        want[i] = parts[i]();
    storm_init(on_usr1, 0);
    storm_start(60000);
    for (int i = 0; !storm->over; i = (i + 1) % 4)
        CHECK(parts[i]() == want[i]);
    storm_end();
    CHECK(storm->hits >= 120);
    say("%lx %lx %lx %lx\n", want[0], want[1], want[2], want[3]);
    return 0;
}
