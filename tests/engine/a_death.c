// Death of the program by a signal that the kernel's default action makes deadly.
// test: core=yes
// test[segv]: cc='-DDIE=*(volatile int*)8=1'
// test[segv]: status=SIGSEGV
// test[abort]: cc='-DDIE=abort()'
// test[abort]: status=SIGABRT
// test[fpe]: cc='-DDIE=zero=77/zero'
// test[fpe]: status=SIGFPE
// test[ill]: cc='-DDIE=__builtin_trap()'
// test[ill]: status=SIGILL
// test[trap]: cc='-DDIE=__asm__("int3")'
// test[trap]: status=SIGTRAP
// test[term]: cc='-DDIE=kill(getpid(),SIGTERM)'
// test[term]: status=SIGTERM
// test[kill]: cc='-DDIE=kill(getpid(),SIGKILL)'
// test[kill]: status=SIGKILL
// test[pipe]: cc='-DDIE=raise(SIGPIPE)'
// test[pipe]: status=SIGPIPE
// test[jump]: cc='-DDIE=((void(*)(void))zero)()'
// test[jump]: status=SIGSEGV
// test[rt]: cc='-DDIE=raise(SIGRTMIN+3)'
// test[rt]: status=any
// test[alarm]: cc='-DDIE=pause_for_alarm()'
// test[alarm]: status=SIGALRM
#include "a_guest.h"
#include <signal.h>

volatile long zero;

static inline void pause_for_alarm(void)
{
    alarm(1);
    for (;;)
        zero++;
}

int main(void)
{
    puts("before");
    fflush(stdout);
    DIE;
    puts("after");
    return 0;
}
