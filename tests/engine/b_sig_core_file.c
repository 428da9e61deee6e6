// test: cc=-no-pie
// test: core=yes
// test: needs=gdb
// test: timeout=120
// SPDX-License-Identifier: Apache-2.0
// What a debugger finds in the core of a child that died by a fault, by abort, or by a signal that it sent itself or
// its parent has sent: the stack, registers, the signal and the libraries are the program's, and the file is not larger for the engine. Where
// cores go elsewhere there is nothing to look at.
#include "b_check.h"
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static volatile int zero;

__attribute__((noinline)) static void store(long *p)
{
    __asm__ volatile("mov $0x1234567, %%ebx; mov $0x89abcde, %%r12d; movq %%rbx, %%xmm7; movl $1, (%0)"
                     : : "r"(p) : "rbx", "r12", "xmm7", "memory");
    zero++;
}

__attribute__((noinline)) static void divide(void) { zero = 7 / zero; }
__attribute__((noinline)) static void send(void) { zero = (int)syscall(SYS_tkill, syscall(SYS_gettid), SIGXCPU); }

static volatile int *there; /* shared with the parent */
__attribute__((noinline)) static void wait_for_it(void)
{
    __asm__ volatile("movl $1, (%0)\n1:\tjmp 1b" : : "r"(there) : "memory");
}

__attribute__((noinline)) static void die(int how)
{
    switch (how) {
    case 0: store((long *)16); break;
    case 1: abort();
    case 2: divide(); break;
    case 3: send(); break;
    case 4: wait_for_it(); break;
    }
    zero++;
}

static const char *const looks[] = {"bt", "info symbol $pc", "x/i $pc", "p $_siginfo.si_signo", "p $_siginfo.si_code",
    "info threads", "info sharedlibrary", "p/x $rbx", "p/x $r12", "p $xmm7.v2_int64[0]"};
#define KNOWN 3 /* the last, in the first child */

/* But for what differs from run to run: numbers of processes, addresses of the stack and of libraries. */
static void show(const char *self, int how)
{
    char command[4096] = "gdb -nx -batch", line[4096];
    for (size_t i = 0; i < sizeof looks / sizeof *looks - (how ? KNOWN : 0); i++)
        snprintf(command + strlen(command), sizeof command - strlen(command), " -ex '%s'", looks[i]);
    snprintf(command + strlen(command), sizeof command - strlen(command), " %s core 2>/dev/null"
        " | sed -n '/^#0/,$p' | sed 's/0x0*7[0-9a-f]\\{11\\}/ADDRESS/g; s/Thread ADDRESS (LWP [0-9]*)/Thread/; s/  */ /g'", self);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f))
        say("%s", line);
    CHECK(f && pclose(f) == 0);
}

int main(int argc, char **argv)
{
    struct stat st;
    int status;
    (void)argc;
    there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int how = 0; how < 5; how++) {
        pid_t pid = fork();
        if (!pid) {
            die(how);
            _exit(1);
        }
        while (how == 4 && !*there)
            sched_yield();
        CHECK(how < 4 || kill(pid, SIGQUIT) == 0);
        CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
        say("signal %d, core %d\n", WTERMSIG(status), !!WCOREDUMP(status));
        if (stat("core", &st) < 0)
            continue;
        say("%s\n", st.st_size < 4 << 20 ? "small" : "large");
        show(argv[0], how);
        unlink("core");
    }
    return 0;
}
