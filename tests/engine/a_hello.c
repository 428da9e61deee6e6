// Every way of linking a program.
// test[pie]: cc=-fPIE -pie
// test[nopie]: cc=-fno-pie -no-pie
// test[static]: cc=-static
// test[staticpie]: cc=-static-pie -fPIE
// test[musl]: compiler=musl-gcc
// test[muslstatic]: compiler=musl-gcc
// test[muslstatic]: cc=-static
// test[clang]: compiler=clang
// test[lto]: cc=-O3 -flto
// test[native]: cc=-O3 -march=native
// test[bindnow]: cc=-Wl,-z,now
// test[lazy]: cc=-Wl,-z,lazy -fplt
#include "a_guest.h"
#include <errno.h>

static __thread int local = 7;
static int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
    int v[100];
    for (int i = 0; i < 100; i++)
        v[i] = i * 37 % 101;
    qsort(v, 100, sizeof *v, order);
    for (int i = 1; i < 100; i++)
        CHECK(v[i - 1] < v[i]);
    char *text = malloc(100000);
    CHECK(text);
    snprintf(text, 100000, "%d %.6f %s %Lg", v[50], 1.0 / 3, "text", 2.5L);
    errno = 0;
    CHECK(close(-1) == -1 && errno == EBADF);
    CHECK(argc == 1 && argv[0] && !argv[1]);
    local += argc;
    printf("%s %d\n", text, local);
    free(text);
    return 0;
}
