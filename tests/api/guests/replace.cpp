// SPDX-License-Identifier: Apache-2.0
// Functions that the tool replaces, and functions that it calls. The guest checks what it gets; its exit status is the line of the first check that failed, modulo 256.
#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#define GUEST extern "C" __attribute__((noinline, visibility("default")))
#define CHECK(x) do { if (!(x)) { std::fprintf(stderr, "line %d: %s\n", __LINE__, #x); _exit(__LINE__ % 255 + 1); } } while (0)

GUEST long add9(int a, short b, unsigned char c, long d, int e, int f, int g, signed char h, long i)
{
    asm volatile("");
    return a + b + c + d + e + f + g * 10 + h * 100 + i * 1000;
}
GUEST double scale(double x, float y, int n, double z) { asm volatile(""); return x * y * n + z; }
GUEST long fact(long n) { return n < 2 ? 1 : n * fact(n - 1); }
GUEST int plain(int a, int b, int c, int d, int e, int f, int g, int h) { asm volatile(""); return a + b + c + d + e + f + 10 * g + 100 * h; }
GUEST float half(float x) { asm volatile(""); return x / 2; }
struct pair { long a, b; };
GUEST pair swapped(pair p) { asm volatile(""); pair r = {p.b, p.a}; return r; }
GUEST int thrower(int x)
{
    if (x & 1)
        throw x;
    return x * 2;
}
static jmp_buf place;
GUEST int jumper(int x)
{
    if (x & 1)
        longjmp(place, x);
    return x * 2;
}
GUEST int deep(int n) /* negative: back by longjmp from the bottom */
{
    volatile int left = n;
    if (left == -1)
        longjmp(place, 7);
    return left == 0 ? 0 : left > 0 ? 1 + deep(left - 1) : deep(left + 1);
}
GUEST int set_round(int mode) { return std::fesetround(mode); }
static int frames, found_main;
int main();
GUEST int walker(int x)
{
    void *pc[64];
    frames = backtrace(pc, 64);
    for (int i = 0; i < frames; i++)
        found_main += (char *)pc[i] > (char *)main && (char *)pc[i] < (char *)main + 4096;
    return x;
}
static volatile int signals;
static sigjmp_buf signal_place;
GUEST long in_handler(long x) { asm volatile(""); return x + 5; }
static void handler(int sig)
{
    signals++;
    CHECK(in_handler(sig) == sig + 5 + 50);
    if (sig == SIGUSR2)
        siglongjmp(signal_place, 1);
}
GUEST int raiser(int sig)
{
    raise(sig);
    return sig + 1;
}
GUEST int loop_at_start(int n); /* its first instruction is the target of a loop */
asm(".globl loop_at_start\n.type loop_at_start,@function\nloop_at_start: dec %edi\njnz loop_at_start\nmov $33,%eax\nret\n.size loop_at_start,.-loop_at_start\n");
GUEST int never(int x) { asm volatile(""); return x + 1; }
GUEST int again(int x) { asm volatile(""); return x + 1; }
GUEST long helper2(long x) { asm volatile(""); return x * 3; }
GUEST long helper(long x) { return helper2(x) + 1; }
GUEST double fhelper(double x, float y) { asm volatile(""); return x + y; }
GUEST long probed(long a, long b) { asm volatile("":"+r"(a), "+r"(b)); return a * b; }
static void *deep_worker(void *) { return (void *)(long)deep(700); }
static int cleaned;
static void clean(void *) { cleaned++; }
GUEST int leaver(int x)
{
    if (x == 500)
        pthread_exit((void *)77);
    return x + 1;
}
static void *worker(void *)
{
    pthread_cleanup_push(clean, 0);
    for (int i = 0; i < 1000; i++)
        CHECK(leaver(i) == i + 1);
    pthread_cleanup_pop(1);
    return 0;
}

static void exceptions()
{
    volatile int caught = 0, sum = 0;
    for (int i = 0; i < 2000; i++) {
        try {
            sum = sum + thrower(i) - i * 2;
        } catch (int x) {
            caught = caught + (x == i);
        }
    }
    CHECK(caught == 1000 && sum == 0);
    for (volatile int i = 0; i < 2000; i = i + 1) {
        int r = setjmp(place);
        if (r)
            caught = caught + (r == i);
        else
            CHECK(jumper(i) == i * 2);
    }
    CHECK(caught == 2000);
    for (volatile int i = 0; i < 20; i = i + 1)
        if (!setjmp(place))
            CHECK(deep(-400));
    CHECK(deep(2000) == 2000);
}

int main()
{
    CHECK(add9(1, -2, 200, 4, 5, 6, 7, -8, 9) == 1 - 2 + 200 + 4 + 5 + 6 + 70 - 800 + 9000 + 100000);
    CHECK(scale(1.5, 2.5f, 4, 0.25) == 30.5);
    CHECK(fact(5) == 120);
    CHECK(plain(1, 2, 3, 4, 5, 6, 7, 8) == 1 + 2 + 3 + 4 + 5 + 6 + 70 + 800 + 1);
    CHECK(half(5) == 2.5f + 1);
    pair p = {3, 4};
    p = swapped(p);
    CHECK(p.a == 4 && p.b == 3);
    CHECK(set_round(FE_UPWARD) == 0 && std::fegetround() == FE_UPWARD);
    CHECK(set_round(FE_TONEAREST) == 0 && std::fegetround() == FE_TONEAREST);
    CHECK(walker(9) == 9 && found_main == 1);
    exceptions();
    std::signal(SIGUSR1, handler);
    std::signal(SIGUSR2, handler);
    CHECK(raiser(SIGUSR1) == SIGUSR1 + 1 && signals == 1);
    for (volatile int i = 0; i < 300; i = i + 1)
        if (!sigsetjmp(signal_place, 1))
            CHECK(raiser(SIGUSR2) == -1);
    CHECK(signals == 301);
    CHECK(loop_at_start(10) == 33);
    CHECK(never(1) == 77);
    CHECK(again(1) == 2);
    CHECK(probed(6, 7) == 42);
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        CHECK(!pthread_create(&t[i], 0, worker, 0));
    for (int i = 0; i < 4; i++) {
        void *r;
        CHECK(!pthread_join(t[i], &r) && r == (void *)77);
    }
    CHECK(cleaned == 4);
    void *depth;
    CHECK(!pthread_create(&t[0], 0, deep_worker, 0) && !pthread_join(t[0], &depth) && depth == (void *)700);
    return 0;
}
//> replace
//= add9 1 -2 200 4 5 6 7 -8 9
//= scale 1.5 2.5 4 0.25
//= swapped 3 4
//= helper says 31, 2.75
//= helper2 called by the tool 1, in all 2
//= fact 5 plain 1 half 1 thrower 2000 jumper 2000 raiser 301 handler 301 leaver 2004
//= loop 1 never 1 again 1 walker 1 round 2 deep 10702
