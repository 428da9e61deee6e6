// SPDX-License-Identifier: Apache-2.0
// prctl(PR_SET_MDWE): memory is not writable and executable from now on, and none becomes executable. New code can be run all the same, from files and from memory that was
// executable before; a child has the rule too, unless it was not meant to be inherited.
#include "b_check.h"
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>

#undef PR_SET_MDWE
#undef PR_GET_MDWE
enum { PR_SET_MDWE = 65, PR_GET_MDWE = 66, REFUSE = 1, NO_INHERIT = 2 };
enum { RW = PROT_READ | PROT_WRITE, RX = PROT_READ | PROT_EXEC, RWX = RW | PROT_EXEC, PAGE = 4096, FUNCTIONS = 4096 };

#define SHOW(what, bad) say("%s: %d\n", what, (bad) ? errno : 0)

static void *map(int prot, size_t bytes)
{
    return mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void refused(const char *who)
{
    char *two = map(RX, 2 * PAGE);
    say("%s: %d\n", who, prctl(PR_GET_MDWE, 0, 0, 0, 0));
    SHOW("rwx", map(RWX, PAGE) == MAP_FAILED);
    SHOW("wx", map(PROT_WRITE | PROT_EXEC, PAGE) == MAP_FAILED);
    SHOW("rx", two == MAP_FAILED);
    SHOW("wrong and rwx", mmap(NULL, PAGE, RWX, MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    SHOW("rx stays", mprotect(two, PAGE, RX));
    SHOW("rx to rwx", mprotect(two, PAGE, RWX));
    SHOW("rx to rw", mprotect(two + PAGE, PAGE, RW));
    SHOW("rx, then rw to rx", mprotect(two, 2 * PAGE, RX));
    SHOW("x, then rw to x", mprotect(two, 2 * PAGE, PROT_EXEC));
    SHOW("rw to r", mprotect(two + PAGE, PAGE, PROT_READ));
    SHOW("r to rx", mprotect(two + PAGE, PAGE, RX));
    SHOW("a hole", munmap(two, PAGE) || mprotect(two, 2 * PAGE, RX));
}

static void attach(const char *what, int flags)
{
    int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
    SHOW(what, shmat(id, NULL, flags) == (void *)-1);
    shmctl(id, IPC_RMID, NULL);
}

/* Many small functions in a page or more each, so that the code cache has to grow. */
static unsigned run_new_code(unsigned char *code)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        for (unsigned at = 0; at < 200; at += 2) /* xchg %ax,%ax */
            memcpy(code + i * 256 + at, "\x66\x90", 2);
        memcpy(code + i * 256 + 200, (unsigned char[]){0xb8, i, i >> 8, 0, 0, 0xc3}, 6);
    }
    for (unsigned i = 0; i < FUNCTIONS; i++)
        sum += ((unsigned (*)(void))(code + i * 256))();
    return sum;
}

static void in_child(const char *who, int bits)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        CHECK(prctl(PR_SET_MDWE, bits, 0, 0, 0) == 0);
        pid_t child = fork();
        if (!child) {
            say("%s: %d, ", who, prctl(PR_GET_MDWE, 0, 0, 0, 0));
            SHOW("rwx", map(RWX, PAGE) == MAP_FAILED);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void)
{
    unsigned char *code = map(RWX, FUNCTIONS * 256);
    CHECK(code != MAP_FAILED);
    if (prctl(PR_GET_MDWE, 0, 0, 0, 0) < 0) {
        say("the kernel does not know it\n");
        return 0;
    }
    in_child("inherited", REFUSE);
    in_child("not inherited", REFUSE | NO_INHERIT);
    CHECK_ERR(prctl(PR_SET_MDWE, NO_INHERIT, 0, 0, 0), EINVAL);
    CHECK_ERR(prctl(PR_SET_MDWE, 4, 0, 0, 0), EINVAL);
    CHECK_ERR(prctl(PR_SET_MDWE, REFUSE, 1, 0, 0), EINVAL);
    CHECK_ERR(prctl(PR_GET_MDWE, 1, 0, 0, 0), EINVAL);
    CHECK(prctl(PR_SET_MDWE, 0, 0, 0, 0) == 0 && prctl(PR_GET_MDWE, 0, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_MDWE, REFUSE, 0, 0, 0) == 0 && prctl(PR_SET_MDWE, REFUSE, 0, 0, 0) == 0);
    CHECK_ERR(prctl(PR_SET_MDWE, REFUSE | NO_INHERIT, 0, 0, 0), EPERM);
    CHECK_ERR(prctl(PR_SET_MDWE, 0, 0, 0, 0), EPERM);
    refused("set");
    attach("shared", 0);
    attach("shared, rwx", SHM_EXEC);
    attach("shared, rx", SHM_EXEC | SHM_RDONLY);
    say("sum %u\n", run_new_code(code));
    say("sum %u\n", run_new_code(code)); /* written again: each write takes translations away */
    int was = personality(0xffffffff);
    CHECK(personality(was | READ_IMPLIES_EXEC) >= 0);
    SHOW("rw is rwx", map(RW, PAGE) == MAP_FAILED);
    say("sum %u\n", run_new_code(code));
    return 0;
}
