// SPDX-License-Identifier: Apache-2.0
// A program that executes itself once in a child, without arguments, which the kernel takes for an empty word; each of
// them copies with REP.
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char from[300], to[300];

int main(int argc, char **argv)
{
    void *d = to, *s = from;
    unsigned long n = sizeof to;
    int status = 0;
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
    if (argc == 1 && !argv[0][0])
        return 0;
    if (!fork()) {
        syscall(SYS_execve, argv[0], NULL, NULL);
        _exit(1);
    }
    wait(&status);
    return status != 0;
}
//> follow engine=-follow_execv
//= child: all right, once right, repeats 1
//= first: all right, once right, repeats 1
