// The main stack grows on demand, in small and in big steps, and its limit is the process's.
#include "a_guest.h"
#include <sys/resource.h>

static __attribute__((noinline)) int touch(int depth)
{
    volatile char block[65536];
    block[0] = (char)depth;
    block[65535] = (char)(depth + 1);
    return depth == 0 ? 0 : touch(depth - 1) + (block[65535] - block[0] == 1);
}

int main(void)
{
    struct rlimit lim;
    CHECK(getrlimit(RLIMIT_STACK, &lim) == 0);
    printf("%d\n", lim.rlim_cur == RLIM_INFINITY ? -1 : (int)(lim.rlim_cur >> 10));
    printf("%d\n", touch(100));
    volatile char *big = __builtin_alloca(7 << 20);
    big[0] = 1;
    printf("%d\n", big[0] + big[3 << 20]);
    return 0;
}
