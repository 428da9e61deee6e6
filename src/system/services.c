/* SPDX-License-Identifier: Apache-2.0
 * Small services of the API: identity, data of processors, threads of the tool, time, memory of the guest. */
#include "api/usage.h"
#include "jit/instrument.h"
#include "linchpin/reg.h"
#include "system/system.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MOST_KEYS 64

int PIN_Init(int argc, char **argv)
{
    (void)argc, (void)argv;
    usage_init_done();
    return 0;
}

void PIN_StartProgram(void *info)
{
    (void)info;
    tool_started();
}

/* --- of systems only (include/linchpin/system.h) --- */

int lp_code_privilege(void) { return instrument_view.nins ? (int)guest_privilege() : -1; }
int lp_kernel_half(u64 address) { return guest_kernel_half(address); }

u32 PIN_ThreadId(void) { return cpu_now < MAX_CPUS ? cpus[cpu_now].thread : cpu_now; }
u64 PIN_ThreadUid(void) { return PIN_ThreadId(); }
int PIN_GetPid(void) { return getpid(); }
u32 PIN_GetTid(void) { return (u32)gettid(); }
int PIN_IsApplicationThread(void) { return cpu_now != ~0u; }
int PIN_IsAttaching(void) { return 0; }
void PIN_Yield(void) { sched_yield(); }

void PIN_Sleep(u32 ms)
{
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t))
        ;
}

/* The tool's functions for the end do not run. */
void PIN_ExitProcess(int status) { _exit(status); }
/* They do; QEMU ends as by a signal. */
void PIN_ExitApplication(int status) { exit(status); }

size_t PIN_SafeCopy(void *to, const void *from, size_t bytes)
{
    return guest_read_memory((u64)from, to, bytes) ? bytes : 0;
}

/* --- registers: of a context only those of the tool's own --- */

static u64 *tool_reg(const char *call, void *context, int reg)
{
    if (reg < REG_INST_TOOL_FIRST || reg > REG_INST_TOOL_LAST)
        system_refuse(call, "a register of the guest: QEMU 7.2 shows plugins none");
    return &((struct cpu *)context)->tool_reg[reg - REG_INST_TOOL_FIRST];
}

u64 PIN_GetContextReg(void *context, int reg) { return *tool_reg(__func__, context, reg); }
void PIN_SetContextReg(void *context, int reg, u64 value) { *tool_reg(__func__, context, reg) = value; }

/* --- data of processors --- */

static bool used[MOST_KEYS];
static void *data[MAX_CPUS + MAX_TASKS][MOST_KEYS];

int PIN_CreateThreadDataKey(void (*destroy)(void *))
{
    (void)destroy; /* processors do not end before the system does */
    for (int i = 0; i < MOST_KEYS; i++)
        if (!__atomic_exchange_n(&used[i], true, __ATOMIC_ACQ_REL))
            return i;
    return -1;
}

int PIN_DeleteThreadDataKey(int key)
{
    if (key < 0 || key >= MOST_KEYS || !used[key])
        return 0;
    for (u32 i = 0; i < ARRAY_LEN(data); i++)
        data[i][key] = NULL;
    __atomic_store_n(&used[key], false, __ATOMIC_RELEASE);
    return 1;
}

static void **place(int key, u32 thread)
{
    thread = thread == ~0u ? PIN_ThreadId() : thread;
    return key < 0 || key >= MOST_KEYS || !used[key] || thread >= ARRAY_LEN(data) ? NULL : &data[thread][key];
}

int PIN_SetThreadData(int key, void *value, u32 thread)
{
    void **at = place(key, thread);
    if (at)
        *at = value;
    return at != NULL;
}

void *PIN_GetThreadData(int key, u32 thread)
{
    void **at = place(key, thread);
    return at ? *at : NULL;
}

/* --- threads of the tool --- */

struct internal {
    void (*fn)(void *);
    void *arg;
    u32 number;
};

static void *run_internal(void *arg)
{
    struct internal t = *(struct internal *)arg;
    free(arg);
    cpu_now = t.number;
    t.fn(t.arg);
    return NULL;
}

/* They are numbered behind the processors and the tasks. */
u32 PIN_SpawnInternalThread(void (*fn)(void *), void *arg, size_t stack_bytes, u64 *uid)
{
    static u32 made;
    struct internal *t = malloc(sizeof *t);
    pthread_t thread;
    pthread_attr_t attr;
    if (!t || pthread_attr_init(&attr))
        return ~0u;
    u32 number = MAX_CPUS + MAX_TASKS + __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    *t = (struct internal){fn, arg, number};
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    bool ok = (!stack_bytes || !pthread_attr_setstacksize(&attr, PAGE_UP(stack_bytes))) &&
              !pthread_create(&thread, &attr, run_internal, t);
    pthread_attr_destroy(&attr);
    if (!ok) {
        free(t);
        return ~0u;
    }
    if (uid)
        *uid = number;
    return number;
}
