/* SPDX-License-Identifier: Apache-2.0
 * Functions that call each other, with frame pointers and without, from a library's sort and from a handler of a signal; the innermost is `innermost`. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline, noclone)) void innermost(int n)
{
    sink += n;
}

__attribute__((noinline, noclone)) static void middle(int n)
{
    innermost(n);
    sink++;
}

__attribute__((noinline, noclone, optimize("no-omit-frame-pointer"))) static void with_frame(int n)
{
    char room[100 + n];
    room[n] = 1;
    middle(n + room[n]);
    sink += room[n];
}

static int compare(const void *a, const void *b)
{
    with_frame(3);
    return *(const int *)a - *(const int *)b;
}

static void handler(int sig)
{
    middle(sig);
    sink++;
}

int main(void)
{
    int v[2] = {2, 1};
    middle(1);
    with_frame(2);
    qsort(v, 2, sizeof v[0], compare);
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    printf("%d\n", sink);
    return 0;
}
