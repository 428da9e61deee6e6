/* SPDX-License-Identifier: Apache-2.0
 * The guest's own threads as Pin's (-threads guest): who runs is seen at the function by which a Linux kernel goes from
 * one task to the next, __switch_to, whose arguments are the two. What a task is called is read from the kernel's
 * memory, at places that its BTF tells. Processors are threads 0 and up, for what runs before the kernel is known, or
 * when there are more tasks than numbers; tasks have the numbers from MAX_CPUS on.
 *
 * A task is known by the address of its structure, its number and when it was begun: addresses and numbers are used
 * again. It runs on one processor at a time, so what belongs to it is changed by that one. The table is changed under
 * the client lock, and read by name_of only under it. */
#include "system/system.h"

#include <stdio.h>
#include <string.h>

#define NAME_BYTES 16
#define HASH_SIZE 4096
#define NONE ~0u

static struct task {
    u64 place, begun;
    u32 pid, process, next; /* of the same hash */
    char name[NAME_BYTES + 1];
} task[MAX_TASKS];
static u32 ntasks, first[HASH_SIZE];
static struct {
    u32 pid, process, name, begun;
} member;
static u64 switch_at; /* 0: not known */
static bool complained;

static u32 hash(u64 place) { return (u32)(place >> 6) % HASH_SIZE; }

/* The kernel has just been found. */
void tasks_find(void)
{
    u64 start, end, at;
    if (!asked.tasks)
        return;
    memset(first, 0xff, sizeof first);
    bool good = symbols_datum("__start_BTF", &start) && symbols_datum("__stop_BTF", &end) && btf_open(start, end);
    bool members = good && btf_member("task_struct", "pid", &member.pid) &&
                   btf_member("task_struct", "tgid", &member.process) &&
                   btf_member("task_struct", "comm", &member.name) &&
                   btf_member("task_struct", "start_time", &member.begun);
    if (good)
        btf_close();
    u32 n = symbols_named("__switch_to");
    at = n ? symbols_address(n) : 0;
    if (!members || !at)
        die(1, "-threads guest: the guest's kernel has no %s, by which its threads are found",
            !good ? "description of its types (CONFIG_DEBUG_INFO_BTF)" : !members ? "task_struct as it should be"
                                                                                 : "function __switch_to");
    switch_at = at;
}

static bool read_u32(u64 at, u32 *to) { return guest_read_memory(at, to, sizeof *to); }

static void read_name(struct task *t)
{
    char name[NAME_BYTES + 1] = "";
    if (guest_read_memory(t->place + member.name, name, NAME_BYTES))
        memcpy(t->name, name, sizeof name);
}

/* The number of the task, which gets one; NONE: there is none left, or it is not there. */
static u32 number_of(u64 place, bool *new)
{
    u32 pid, process;
    u64 begun;
    *new = false;
    if (!read_u32(place + member.pid, &pid) || !read_u32(place + member.process, &process) ||
        !guest_read_memory(place + member.begun, &begun, sizeof begun))
        return NONE;
    for (u32 i = first[hash(place)]; i != NONE; i = task[i].next)
        if (task[i].place == place && task[i].pid == pid && task[i].begun == begun)
            return i;
    if (ntasks == MAX_TASKS) {
        if (!complained)
            msg("-threads guest: more than %d threads: what later ones do is told of the processors", MAX_TASKS);
        complained = true;
        return NONE;
    }
    task[ntasks] = (struct task){place, begun, pid, process, first[hash(place)], ""};
    *new = true;
    return first[hash(place)] = ntasks++;
}

/* The processor leaves one task for another. */
static void switched(unsigned int vcpu, void *unused)
{
    u64 from, to;
    bool new;
    (void)unused;
    cpu_now = vcpu;
    guest_arguments(&from, &to);
    client_lock();
    u32 was = cpus[vcpu].thread;
    if (was >= MAX_CPUS && task[was - MAX_CPUS].place == from)
        read_name(&task[was - MAX_CPUS]); /* it may have changed, by an exec */
    u32 n = number_of(to, &new);
    cpus[vcpu].thread = n == NONE ? vcpu : MAX_CPUS + n;
    if (new) {
        read_name(&task[n]);
        cpu_begins_thread(vcpu, MAX_CPUS + n);
    }
    client_unlock();
}

/* Before the tool sees the instruction, the first one of a block. */
void tasks_watch(u64 pc, struct qemu_plugin_insn *insn)
{
    if (switch_at && pc == switch_at)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, switched, QEMU_PLUGIN_CB_R_REGS, NULL);
}

/* --- what tools ask --- */

u32 tasks_count(void) { return ntasks; }

const char *lp_thread_name(u32 thread)
{
    static char text[64];
    if (thread < cpu_most)
        snprintf(text, sizeof text, "processor %u", thread);
    else if (thread >= MAX_CPUS && thread - MAX_CPUS < ntasks)
        snprintf(text, sizeof text, "%s[%u]", task[thread - MAX_CPUS].name, task[thread - MAX_CPUS].pid);
    else
        return NULL;
    return text;
}

int lp_thread_process(u32 thread)
{
    return thread >= MAX_CPUS && thread - MAX_CPUS < ntasks ? (int)task[thread - MAX_CPUS].process : -1;
}

/* At the end they may have other names than when they were left. */
void tasks_end(void)
{
    for (u32 i = 0; i < cpu_most; i++)
        if (cpus[i].thread >= MAX_CPUS)
            read_name(&task[cpus[i].thread - MAX_CPUS]);
    if (asked.tasks && !switch_at)
        msg("-threads guest: no Linux kernel was found in the guest: all is told of the processors");
}
