// SPDX-License-Identifier: Apache-2.0
// Clocks through the vdso and through the system call agree and never go back; CPU clocks advance with work.
#include "b_check.h"
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

static long long now(int clock, int raw)
{
    struct timespec ts;
    CHECK((raw ? (int)syscall(SYS_clock_gettime, clock, &ts) : clock_gettime(clock, &ts)) == 0);
    return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

int main(void)
{
    static const int clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW, CLOCK_TAI, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID };
    for (int i = 0; i < 7; i++) {
        long long last = now(clocks[i], 0);
        for (int k = 1; k < 2000; k++) {
            long long t = now(clocks[i], k & 1);
            CHECK(t >= last);
            last = t;
        }
    }
    struct timeval tv;
    CHECK(gettimeofday(&tv, 0) == 0 && llabs(tv.tv_sec - now(CLOCK_REALTIME, 1) / 1000000000) <= 5);
    CHECK(llabs(time(0) - now(CLOCK_REALTIME, 0) / 1000000000) <= 5 && llabs(syscall(SYS_time, 0) - time(0)) <= 5);
    unsigned cpu = 999, node;
    CHECK(syscall(SYS_getcpu, &cpu, &node, 0) == 0 && cpu < 999 && sched_getcpu() >= 0);
    struct tms tms;
    struct rusage ru;
    volatile unsigned work = 0;
    long long cpu0 = now(CLOCK_PROCESS_CPUTIME_ID, 0);
    while (now(CLOCK_PROCESS_CPUTIME_ID, 0) - cpu0 < 30000000)
        for (int i = 0; i < 10000; i++)
            work = work + i;
    CHECK(getrusage(RUSAGE_SELF, &ru) == 0 && ru.ru_utime.tv_sec + ru.ru_stime.tv_sec + ru.ru_utime.tv_usec + ru.ru_stime.tv_usec > 0);
    CHECK(times(&tms) != -1 && tms.tms_utime + tms.tms_stime >= 1 && tms.tms_cutime == 0);
    CHECK(sched_yield() == 0);
    say("clocks ok\n");
    return 0;
}
