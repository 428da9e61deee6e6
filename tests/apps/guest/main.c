// SPDX-License-Identifier: Apache-2.0
#include "list.h"
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf escape;

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d at %p\n", sig, info->si_addr);
    siglongjmp(escape, 1);
}

static void provoke_fault(void)
{
    struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &sa, NULL);
    if (sigsetjmp(escape, 1) == 0)
        *(volatile int *)16 = 1;
    puts("back");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s COUNT\n", strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0]);
        return 2;
    }
    struct list *l = NULL;
    unsigned state = 1;
    for (int i = 0; i < atoi(argv[1]); i++) {
        state = state * 1664525 + 1013904223;
        l = list_push(l, state >> 12);
    }
    l = list_sort(l);
    printf("least %ld sum %ld\n", l->value, list_sum(l));
    double x = 0;
    for (const struct list *n = l; n; n = n->next)
        x += (double)n->value / 3.0;
    printf("%.9g %La\n", x, (long double)x * 1.1L);
    list_free(l);
    provoke_fault();
    return 0;
}
