// Signals while REP string instructions go through gs: under a tool each iteration changes the base of gs and back.
// test: modes=plain,tiny,light,access,fills,rewrite,tool
#include "a_guest.h"
#include <asm/prctl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>

static unsigned char from[256], to[256];
static volatile long ticks;
static void tick(int sig) { (void)sig, ticks++; }

static int copy_is_wrong(unsigned long at, unsigned long n)
{
    unsigned long si = at, di = (unsigned long)to, cx = n, ax = n * 0x123456789;
    memset(to, 0, sizeof to);
    __asm__ volatile("rep movsb %%gs:(%%rsi), (%%rdi)" : "+S"(si), "+D"(di), "+c"(cx), "+a"(ax)::"memory");
    return cx || si != at + n || di != (unsigned long)to + n || ax != n * 0x123456789 || memcmp(to, from + at, n) || to[n];
}

int main(void)
{
    struct itimerval every = {{0, 200}, {0, 200}};
    unsigned long wrong = 0;
    for (int i = 0; i < 256; i++)
        from[i] = (unsigned char)(i * 7 + 1);
    CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, from) == 0);
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &every, NULL);
    for (unsigned long r = 0; r < 20000 || ticks < 50; r++)
        wrong += (unsigned long)copy_is_wrong(r % 16, 1 + r % 60);
    printf("%lu wrong\n", wrong);
    return 0;
}
