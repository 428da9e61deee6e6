// The break belongs to the guest: it grows, shrinks, is zero when it comes back, and fails where it must.
#include "a_guest.h"
#include <errno.h>
#include <sys/resource.h>

int main(void)
{
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer); // stdio must not move the break
    char *start = sbrk(0);
    CHECK(sbrk(10 * PAGE) == start);
    memset(start, 0x55, 10 * PAGE);
    CHECK(sbrk(-5 * PAGE) == start + 10 * PAGE);
    CHECK(sbrk(5 * PAGE) == start + 5 * PAGE);
    printf("%d %d\n", start[0], start[9 * PAGE + 1]);
    CHECK(sbrk(1) == start + 10 * PAGE && sbrk(0) == start + 10 * PAGE + 1);
    CHECK(brk(start) == 0 && sbrk(0) == start);
    struct rlimit lim = {1 << 20, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_DATA, &lim) == 0);
    errno = 0;
    printf("too much %d %d\n", sbrk(16 << 20) == (void *)-1, errno == ENOMEM);
    CHECK(sbrk(0) == start);
    printf("below start %d\n", brk((void *)PAGE));
    CHECK(sbrk(0) == start);
    return 0;
}
