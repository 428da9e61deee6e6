// test: hard
// test: cc=-no-pie
// SPDX-License-Identifier: Apache-2.0
// Calls by int $0x80 that change the process: mappings, the code in them, processes, masks, descriptors. What they do holds for the
// 64-bit calls and for the code that runs afterwards, too.
#include "b_check.h"
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define PAGE 4096
#define RWX (PROT_READ | PROT_WRITE | PROT_EXEC)

static sigjmp_buf out;
static uint32_t words[8];
static char self[] = "/proc/self/exe";
static char name[4096], again[] = "again";

static void on_segv(int sig)
{
    (void)sig;
    siglongjmp(out, 1);
}

static long int80(long nr, long a, long b, long c, long d, long e, long f)
{
    long ret;
    register long r8 __asm__("r8") = f;
    // No upper half of a register counts.
    __asm__ volatile("push %%rbp; push %%rdi; mov %k8, %%ebp; bts $40, %%rbx; bts $63, %%rdi; int $0x80; bt $63, %%rdi; jc 1f; ud2\n1:\n"
                     "pop %%rdi; pop %%rbp"
                     : "=a"(ret), "+b"(a), "+r"(r8)
                     : "0"(nr), "c"(b), "d"(c), "S"(d), "D"(e), "r"(r8)
                     : "r9", "r10", "r11", "memory", "cc");
    return ret;
}

static int mapped(void *p)
{
    unsigned char v;
    return mincore(p, PAGE, &v) == 0;
}

// mov $v, %eax; ret
static void put(unsigned char *p, int v)
{
    unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3};
    memcpy(code + 1, &v, 4);
    memcpy(p, code, sizeof code);
}

static int run(unsigned char *p) { return ((int (*)(void))p)(); }

static void mappings(void)
{
    unsigned char *p = (void *)int80(192, 0, 2 * PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // mmap2
    CHECK((uint64_t)p < 1ul << 32 && mapped(p));
    put(p, 1);
    CHECK(run(p) == 1);
    CHECK(int80(125, (long)p, PAGE, PROT_READ | PROT_EXEC, 0, 0, 0) == 0); // mprotect
    CHECK(run(p) == 1);
    CHECK(int80(125, (long)p, PAGE, RWX, 0, 0, 0) == 0);
    put(p, 2);
    CHECK(run(p) == 2);
    unsigned char *q = (void *)int80(163, (long)p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (long)p + PAGE, 0); // mremap
    CHECK(q == p + PAGE && run(q) == 2 && !mapped(p));
    put(q, 3);
    CHECK(run(q) == 3);
    CHECK(int80(91, (long)q, PAGE, 0, 0, 0, 0) == 0 && !mapped(q)); // munmap
    words[0] = 0, words[1] = PAGE, words[2] = PROT_READ | PROT_WRITE, words[3] = MAP_PRIVATE | MAP_ANONYMOUS, words[4] = -1, words[5] = 0;
    p = (void *)int80(90, (long)words, 0, 0, 0, 0, 0); // mmap, the old one
    CHECK((uint64_t)p < 1ul << 32 && mapped(p));
    CHECK(int80(90, 8, 0, 0, 0, 0, 0) == -EFAULT);
    CHECK(int80(192, 0, 0, RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == -EINVAL);
    CHECK(int80(91, (long)p + 1, PAGE, 0, 0, 0, 0) == -EINVAL);
}

// A file's second page by mmap2, whose offset counts pages; code that read brings.
static void files(void)
{
    int fd = open("file", O_RDWR | O_CREAT, 0600), at;
    unsigned char code[2 * PAGE] = {0};
    put(code, 4);
    put(code + PAGE, 5);
    CHECK(write(fd, code, sizeof code) == sizeof code);
    unsigned char *p = (void *)int80(192, 0, PAGE, RWX, MAP_PRIVATE, fd, 1);
    CHECK(run(p) == 5);
    CHECK(int80(19, fd, 0, SEEK_SET, 0, 0, 0) == 0);              // lseek
    CHECK(int80(3, fd, (long)p, PAGE, 0, 0, 0) == PAGE && run(p) == 4); // read over code
    CHECK(int80(19, fd, -6, SEEK_END, 0, 0, 0) == 2 * PAGE - 6);
    strcpy(name, "file");
    at = (int)int80(5, (long)name, O_RDONLY, 0, 0, 0, 0); // open
    CHECK(at > fd && int80(41, at, 0, 0, 0, 0, 0) == at + 1); // dup
    CHECK(int80(6, at, 0, 0, 0, 0, 0) == 0 && fcntl(at, F_GETFD) < 0);
    CHECK(int80(6, at + 1, 0, 0, 0, 0, 0) == 0 && int80(6, at + 1, 0, 0, 0, 0, 0) == -EBADF);
}

static void masks(void)
{
    uint64_t *set = (uint64_t *)words;
    sigset_t now;
    *set = 1ul << (SIGUSR1 - 1);
    CHECK(int80(175, SIG_BLOCK, (long)set, 0, 8, 0, 0) == 0); // rt_sigprocmask
    sigprocmask(SIG_BLOCK, NULL, &now);
    CHECK(sigismember(&now, SIGUSR1) == 1);
    raise(SIGUSR1);
    signal(SIGUSR1, on_segv);
    if (!sigsetjmp(out, 0)) {
        int80(175, SIG_UNBLOCK, (long)set, 0, 8, 0, 0); // the signal comes now
        CHECK(0);
    }
}

static int ends[2], seen[2], came;

static void on_child(int sig)
{
    (void)sig;
    CHECK(write(came++ ? ends[1] : seen[1], "x", 1) == 1);
}

// A read that waits: a signal ends it, or it goes on after the handler.
static void waits(int flags)
{
    struct sigaction act = {.sa_handler = on_child, .sa_flags = flags};
    CHECK(pipe(ends) == 0 && pipe(seen) == 0 && sigaction(SIGUSR2, &act, NULL) == 0);
    came = 0;
    pid_t parent = getpid(), pid = fork();
    if (!pid) {
        char state[64] = "", *at;
        for (int sent = 0; sent < 2;) { // the second one when the first has been seen, and the parent waits again
            snprintf(state, sizeof state, "/proc/%d/stat", parent);
            int fd = open(state, O_RDONLY);
            ssize_t n = read(fd, state, sizeof state - 1);
            close(fd);
            state[n > 0 ? n : 0] = 0;
            at = strrchr(state, ')');
            if (at && at[2] == 'S' && kill(parent, SIGUSR2) == 0)
                CHECK(sent++ || read(seen[0], state, 1) == 1);
        }
        _exit(0);
    }
    memset(name, 0, sizeof name);
    long r = int80(3, ends[0], (long)name, 8, 0, 0, 0);
    say("read %ld %s\n", r, name);
    while (waitpid(pid, NULL, 0) < 0)
        CHECK(errno == EINTR);
    close(ends[0]), close(ends[1]), close(seen[0]), close(seen[1]);
}

static void statuses(const char *what, long pid)
{
    int st = -1;
    CHECK(pid > 0 && waitpid((pid_t)pid, &st, 0) == pid);
    say("%s: %x\n", what, st);
}

static void processes(void)
{
    long pid = int80(2, 0, 0, 0, 0, 0, 0); // fork
    if (!pid)
        int80(1, 7, 0, 0, 0, 0, 0); // exit
    statuses("fork", pid);
    pid = int80(120, SIGCHLD | CLONE_PARENT_SETTID, 0, (long)words, 0, 0, 0);
    if (!pid)
        int80(252, getpid() != getppid() ? 8 : 9, 0, 0, 0, 0, 0); // exit_group
    CHECK(words[0] == (uint32_t)pid);
    statuses("clone", pid);
    __asm__ volatile("int $0x80; test %%eax, %%eax; jnz 1f; mov $1, %%eax; mov $10, %%ebx; int $0x80; 1:" // vfork, exit
                     : "=a"(pid)
                     : "0"(190l)
                     : "rbx", "r8", "r9", "r10", "r11", "memory", "cc");
    statuses("vfork", pid);
    CHECK(int80(20, 0, 0, 0, 0, 0, 0) == getpid());
    pid = fork();
    if (!pid) {
        memset(words, 0, sizeof words);
        words[0] = (uint32_t)(uint64_t)self, words[1] = (uint32_t)(uint64_t)again;
        say("execve without memory %ld\n", int80(11, (long)self, 8, 0, 0, 0, 0));
        strcpy(name, "/nowhere");
        say("execve of nothing %ld\n", int80(11, (long)name, (long)words, 0, 0, 0, 0));
        int80(11, (long)self, (long)words, 0, 0, 0, 0);
        _exit(1);
    }
    statuses("execve", pid);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        say("%s: %s\n", argv[0], argv[1]);
        int80(1, 11, 0, 0, 0, 0, 0);
    }
    signal(SIGSEGV, on_segv);
    if (sigsetjmp(out, 1)) {
        say("no 32-bit calls here\n");
        return 0;
    }
    int80(20, 0, 0, 0, 0, 0, 0);
    signal(SIGSEGV, SIG_DFL);
    mappings();
    files();
    masks();
    waits(SA_RESTART);
    waits(0);
    processes();
    int80(252, 0, 0, 0, 0, 0, 0);
}
