// How the program itself ends: exit, _exit, the thread's exit system call, quick_exit, return values above 255 and below 0.
// test[exit]: cc="-DHOW=exit(3)"
// test[exit]: status=3
// test[under]: cc="-DHOW=_exit(255)"
// test[under]: status=255
// test[thread]: cc="-DHOW=syscall(60,9)"
// test[thread]: status=9
// test[quick]: cc="-DHOW=quick_exit(5)"
// test[quick]: status=5
// test[above]: cc="-DHOW=exit(0x1234)"
// test[above]: status=52
// test[below]: cc="-DHOW=exit(-1)"
// test[below]: status=255
#include "a_guest.h"

static void said(void)
{
    puts("atexit");
}
int main(void)
{
    atexit(said);
    at_quick_exit(said);
    puts("main"); // lost by those that do not flush
    if (getpid() > 0)
        HOW;
    return 0;
}
