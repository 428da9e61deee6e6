// SPDX-License-Identifier: Apache-2.0
// An mremap to a fixed place that fails when it has already unmapped what was there, as it does for an address that only the administrator may use: code from before is gone, or still
// there, as natively.
#include "b_check.h"
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define LOWEST 0x10000ul /* vm.mmap_min_addr */
#define PAGE 4096ul

static sigjmp_buf back;
static volatile int code;

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)context;
    code = sig * 100 + info->si_code;
    siglongjmp(back, 1);
}

static void drop_capabilities(void)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct d[2] = {{0}};
    CHECK(syscall(SYS_capset, &h, d) == 0);
}

static void call_it(const char *when)
{
    volatile int value = -1;
    code = 0;
    if (!sigsetjmp(back, 1))
        value = ((int (*)(void))LOWEST)();
    say("%s: %d, fault %d\n", when, value, code);
}

/* A range far beyond the end: its beginning is changed all the same. */
static void protect_too_much(void)
{
    unsigned char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int value = -1;
    CHECK(p != MAP_FAILED && munmap(p + PAGE, PAGE) == 0);
    memcpy(p, "\xb8\x2b\0\0\0\xc3", 6);
    CHECK_ERR(syscall(SYS_mprotect, p, 1ul << 62, PROT_READ | PROT_EXEC), ENOMEM);
    value = ((int (*)(void))p)();
    say("protected too much: %d\n", value);
}

int main(void)
{
    protect_too_much();
    struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    unsigned char *p = mmap((void *)LOWEST, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), there;
    void *old = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        say("no such low address here: %d\n", errno);
        return 0;
    }
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGBUS, &act, NULL);
    memcpy(p, "\xb8\x2a\0\0\0\xc3", 6); /* mov $42, %eax; ret */
    drop_capabilities();
    call_it("before");
    long r = syscall(SYS_mremap, old, PAGE, LOWEST + PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, 0);
    say("mremap: %ld %d\n", r, r < 0 ? errno : 0);
    say("there: %d\n", mincore(p, PAGE, &there));
    call_it("after");
    return 0;
}
