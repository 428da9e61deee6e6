// test: cc=-pthread -mfsgsbase
// SPDX-License-Identifier: Apache-2.0
// Segment bases: ARCH_GET_FS is the thread pointer, GS is the program's to set, per thread, kept over signals and calls.
#include "b_check.h"
#include <asm/prctl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

static __thread long tls = 5;

static long gs_load(void)
{
    long v;
    __asm__ volatile("mov %%gs:8, %0" : "=r"(v));
    return v;
}

static void on_usr1(int sig)
{
    (void)sig;
    CHECK(gs_load() == (long)pthread_self() && tls == 5);
}

static void *body(void *arg)
{
    unsigned long fs = 0, gs = 1, self;
    long block[4] = { 0, (long)pthread_self(), 0, 0 };
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &gs) == 0 && gs == 0);
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_FS, &fs) == 0);
    __asm__ volatile("mov %%fs:0x10, %0" : "=r"(self));
    CHECK(fs == self && fs == (unsigned long)pthread_self());
    CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, block) == 0 && gs_load() == block[1]);
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_GS, &gs) == 0 && gs == (unsigned long)block);
    if (getauxval(AT_HWCAP2) & 2) { /* FSGSBASE */
        CHECK(__builtin_ia32_rdfsbase64() == fs && __builtin_ia32_rdgsbase64() == gs);
        __builtin_ia32_wrgsbase64((unsigned long)block - 8);
        block[0] = 77;
        CHECK(gs_load() == 77);
        __builtin_ia32_wrgsbase64((unsigned long)block);
    }
    for (int i = 0; i < 50; i++) {
        raise(SIGUSR1);
        CHECK(gs_load() == block[1]);
    }
    CHECK_ERR(syscall(SYS_arch_prctl, ARCH_SET_GS, 1ul << 63), EPERM);
    tls = 6;
    CHECK(syscall(SYS_arch_prctl, ARCH_SET_FS, fs) == 0 && tls == 6 && gs_load() == block[1]);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    signal(SIGUSR1, on_usr1);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&t[i], 0, body, 0) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    body(0);
    say("segment bases ok\n");
    return 0;
}
