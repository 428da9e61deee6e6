/* SPDX-License-Identifier: Apache-2.0
 * Probe mode's part of the operating system (os/native.h; docs/design/probes.md): the program has its signals, limits
 * and system calls for itself; threads get an identity of the host's when they first come from a probe. Host code runs
 * with all signals blocked. */
#include "os/native.h"

#include "arch/arch.h"
#include "arch/probe.h"
#include "os/events.h"
#include "os/gmap.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/linux/agent.h"
#include "os/linux/hostfd.h"
#include "os/linux/limits.h"
#include "os/linux/mapsfile.h"
#include "os/linux/mdwe.h"
#include "os/linux/native_thread.h"
#include "os/linux/os_init.h"
#include "os/linux/signal.h"
#include "os/linux/sigframe.h"
#include "os/linux/sys.h"
#include "os/thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif


static struct native_thread first;
static struct sig_table *sigs; /* that a thread has one says that it is the program's */

_Static_assert(offsetof(struct native_thread, host_tls) == 0 && offsetof(struct native_thread, guest_tls) == 24 &&
                   offsetof(struct native_thread, low) == 32 && offsetof(struct native_thread, high) == 40 &&
                   offsetof(struct native_thread, tid_word) == 48 && offsetof(struct native_thread, tid) == 56 &&
                   offsetof(struct native_page, lock) == 4,
               "probe.S");
_Static_assert(offsetof(struct native_thread, next) == offsetof(struct boot_identity, next) &&
                   offsetof(struct native_thread, due_at) == offsetof(struct boot_identity, due_at) &&
                   (int)NATIVE_SENT == (int)BOOT_VISIT_SENT && (int)NATIVE_DUE == (int)BOOT_VISIT_DUE,
               "boot.h");

static s64 raw(u64 nr, u64 a, u64 b, u64 c) { return arch_raw_syscall(nr, a, b, c, 0, 0, 0); }

/* --- identities --------------------------------------------------------------------------------------------------- */

/* The context that belongs to a TLS register of the host's: its place is the same in each thread. */
static struct thread *context_of(u64 host_tls)
{
    return (struct thread *)(host_tls + ((u64)&vm_tc - (u64)pthread_self()));
}

static struct native_thread *make_identity(void)
{
    struct native_thread *t = calloc(1, sizeof *t);
    if (!t || donor_make(&t->donor))
        hostmem_die("a thread of the program");
    t->host_tls = (u64)t->donor.thread;
    struct thread *context = context_of(t->host_tls);
    arch_init_thread(&context->cpu);
    context->cpu.host_sp = t->donor.sp & ~15ul;
    context->os.identity = t;
    t->due_at = arch_native_due_at(&context->cpu);
    return t;
}

/* The kernel thread that a donor has for a moment is neither the program's nor in a list. */
static struct hostlock making FORK_WRITES = HOSTLOCK(LOCK_NATIVE_NEW);

void native_hold_new(bool hold)
{
    if (hold)
        hostlock_take(&making);
    else
        hostlock_give(&making);
}

static void make_spare(void)
{
    native_hold_new(true);
    if (!__atomic_load_n(&native_spare, __ATOMIC_ACQUIRE))
        __atomic_store_n(&native_spare, make_identity(), __ATOMIC_RELEASE);
    native_hold_new(false);
}

static void begin_thread(const struct native_thread *t)
{
    vm_tc.os.tid = (int)t->tid;
    vm_tc.os.sigs = sigs;
    thread_register();
}

void native_settle(void)
{
    struct native_thread *t = vm_tc.os.identity;
    if (LIKELY(t->change == NATIVE_SETTLED))
        return;
    bool fresh = t->change == NATIVE_FRESH;
    donor_take(&t->donor);
    if (!fresh)
        thread_unregister();
    begin_thread(t);
    t->change = NATIVE_SETTLED;
    if (fresh)
        make_spare();
}

/* The launched program's first thread, and each that was there at an attach, has its identity already. */
static void know_thread(struct native_thread *t)
{
    t->host_tls = (u64)pthread_self();
    t->tid = (u32)raw(SYS_gettid, 0, 0, 0);
    vm_tc.os.identity = t;
    t->due_at = arch_native_due_at(&vm_tc.cpu);
    while (__atomic_exchange_n(&native_page->lock, 1, __ATOMIC_ACQUIRE))
        raw(SYS_sched_yield, 0, 0, 0);
    t->next = native_threads;
    native_threads = t;
    __atomic_store_n(&native_page->lock, 0, __ATOMIC_RELEASE);
}

void native_init(void)
{
    void *page = hostmem_map(PAGE_BYTES, PROT_READ | PROT_WRITE);
    if (!page || madvise(page, PAGE_BYTES, MADV_WIPEONFORK))
        die(1, "probe mode needs memory that is empty in a child of fork (Linux 4.14 or later): %m");
    native_page = page;
    native_page->own = 1;
    native_pid = native_told_pid = (u32)getpid();
    sigs = vm_tc.os.sigs;
    os_native = true;
    if (!adopt_count()) /* else when they are for the program (os_messages_to_program) */
        hostfd_find_messages();
    make_spare();
    signal_leave();
    limits_leave();
    mdwe_leave();
}

void native_start(void)
{
    struct native_thread *t = adopt_count() ? calloc(1, sizeof *t) : &first;
    if (!t)
        hostmem_die("a thread of the program");
    u64 mask = vm_tc.os.guest_mask, all = ~0ul;
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&all, 0, sizeof all, 0, 0);
    know_thread(t);
    if (!adopt_count()) { /* as execve leaves them */
        raw(SYS_set_tid_address, 0, 0, 0);
        raw(SYS_set_robust_list, 0, vm_tc.os.host_robust_bytes, 0);
    }
    vm_tc.cpu.host_sp = (u64)__builtin_frame_address(0) & ~15ul;
    sigframe_go_native(&vm_tc.cpu, &vm_tc.os, mask);
    die(1, "this architecture has no probe mode");
}

bool native_visits(void) { return (u32)raw(SYS_getpid, 0, 0, 0) != native_pid; }

int native_visitor(void)
{
    const struct native_thread *t = vm_tc.os.identity;
    return (int)t->visitor;
}

bool native_same_stack(u64 a, u64 b)
{
    const struct native_thread *t = vm_tc.os.identity;
    return a >= t->low && a <= t->high && b >= t->low && b <= t->high;
}

u64 native_stack_left(u64 sp)
{
    const struct native_thread *t = vm_tc.os.identity;
    return sp >= t->low && sp < t->high ? t->high - sp : 0;
}

bool native_alone(void)
{
    struct stat st;
    return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3;
}

/* --- code --------------------------------------------------------------------------------------------------------- */

bool native_write_code(u64 at, const void *from, size_t bytes)
{
    int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    bool done = fd >= 0 && pwrite(fd, from, bytes, (off_t)at) == (ssize_t)bytes;
    if (fd >= 0)
        close(fd);
    if (done)
        return true;
    u64 start = PAGE_DOWN(at), end = PAGE_UP(at + bytes); /* kernels that do not let programs write there */
    if (mprotect((void *)start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    memcpy((void *)at, from, bytes);
    return mprotect((void *)start, end - start, PROT_READ | PROT_EXEC) == 0;
}

_Static_assert(sizeof(struct native_patch) == sizeof(struct boot_patch) &&
                   offsetof(struct native_patch, moved) == offsetof(struct boot_patch, moved),
               "one form for engine and launcher");

_Static_assert(sizeof(struct native_visit) == sizeof(struct boot_visit), "one form for engine and launcher");

static struct boot_patches head_of_list(void)
{
    return (struct boot_patches){.leave = (u64)arch_native_leave, .left = (u64)arch_native_left,
        .low = (u64)arch_native_find_begin, .high = (u64)arch_native_find_end, .stack_low = (u64)native_stack,
        .stack_high = (u64)(native_stack + sizeof native_stack), .identities = (u64)&native_threads};
}

void native_take_errands(u64 at, u64 back)
{
    static struct native_visit visit;
    static struct boot_patches errand;
    visit = (struct native_visit){.at = at, .back = back};
    errand = head_of_list();
    errand.visit = (u64)&visit;
    errand.nvisits = 1;
    agent_by_errand(at ? (u64)&errand : 0);
}

void native_errand(const char *why_not) { agent_errand(why_not); }

bool native_patch(const struct native_patch *p, u32 n, struct native_visit *v, u32 nvisits, u64 generation)
{
    struct boot_patches list = head_of_list();
    list.patch = (u64)p;
    list.visit = (u64)v;
    list.generation = generation;
    list.n = n;
    list.nvisits = nvisits;
    if ((n || nvisits) && !native_alone())
        return agent_patch(&list);
    for (u32 i = 0; i < n; i++)
        if (!native_write_code(p[i].at, p[i].code, p[i].bytes))
            return false;
    return true;
}

static void move_adopted(const struct native_patch *p)
{
    struct boot_thread *rec = (struct boot_thread *)os_boot->extra;
    for (u32 i = 0; i < adopt_count(); i++)
        for (u32 k = 0; k < p->nmoved; k++)
            if (rec[i].regs.rip == p->moved[k].from && rec[i].regs.rip != p->at) {
                rec[i].regs.rip = p->moved[k].to;
                break;
            }
}

bool native_patch_quiet(const struct native_patch *p)
{
    if (os_boot->control.state == BOOT_COMING_UP)
        move_adopted(p);
    return native_write_code(p->at, p->code, p->bytes);
}

u32 native_list_threads(struct native_visit *v, u32 room)
{
    DIR *dir = opendir("/proc/self/task");
    u32 n = 0;
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        int tid = atoi(e->d_name);
        if (tid <= 0 || tid == gettid() || hosttask_is(tid))
            continue;
        if (n < room)
            v[n] = (struct native_visit){.tid = tid};
        n++;
    }
    if (dir)
        closedir(dir);
    return n;
}

/* --- mappings ----------------------------------------------------------------------------------------------------- */

/* Libraries of the tool may have come by dlopen. */
static int note_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    for (u32 i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        u64 start = PAGE_DOWN(info->dlpi_addr + p->p_vaddr), end = PAGE_UP(info->dlpi_addr + p->p_vaddr + p->p_memsz);
        struct gmap_area a;
        if (p->p_type == PT_LOAD && !hostmem_overlaps(start, end) && !(gmap_find(start, &a) && a.flags & GMAP_VDSO))
            hostmem_note(start, end);
    }
    return 0;
}

static bool is_code(const struct gmap_area *a) { return a->flags & GMAP_EXEC && a->ino; }

static struct gmap_area *list_code(u32 *n)
{
    struct gmap_area *list = NULL, a;
    *n = 0;
    for (u64 at = 0; gmap_next(at, &a); at = a.end)
        if (is_code(&a)) {
            void *larger = *n & (*n - 1) ? list : realloc(list, (*n ? 2 * *n : 1) * sizeof *list);
            if (!larger)
                hostmem_die("the list of mappings");
            list = larger;
            list[(*n)++] = a;
        }
    return list;
}

static bool in_list(const struct gmap_area *list, u32 n, const struct gmap_area *a)
{
    for (u32 i = 0; i < n; i++)
        if (list[i].start == a->start && list[i].ino == a->ino && list[i].off == a->off)
            return true;
    return false;
}

void native_rescan(void)
{
    u32 nold, nnow;
    struct gmap_area *old = list_code(&nold);
    dl_iterate_phdr(note_object, NULL);
    gmap_init();
    struct gmap_area *now = list_code(&nnow);
    for (u32 i = 0; i < nold; i++)
        if (!in_list(now, nnow, &old[i]))
            os_events.unmapped(old[i].start, old[i].end);
    for (u32 i = 0; i < nnow; i++)
        if (!in_list(old, nold, &now[i]))
            os_events.mapped(&now[i], -1, NULL);
    free(old);
    free(now);
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

/* Of libc, for its own fork. */
extern void _IO_list_lock(void) __attribute__((weak));
extern void _IO_list_unlock(void) __attribute__((weak));
extern void _IO_list_resetlock(void) __attribute__((weak));

void native_before_fork(void)
{
    fflush(NULL);
    if (_IO_list_lock)
        _IO_list_lock();
    process_before_fork();
}

s64 native_fork_and_wait(void) { return arch_raw_syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0, 0); }

void native_after_fork(bool child)
{
    process_after_fork(child);
    if (child) {
        native_told_pid = (u32)raw(SYS_getpid, 0, 0, 0);
        hostlock_reset(&making);
    }
    if (child && _IO_list_resetlock)
        _IO_list_resetlock();
    else if (!child && _IO_list_unlock)
        _IO_list_unlock();
}

void native_ends(int status)
{
    if (native_told_pid == (u32)raw(SYS_getpid, 0, 0, 0))
        process_run_exit_hooks(status);
}

u32 native_number(enum native_number n)
{
    static const u32 numbers[NATIVE_NUMBERS] = {[NATIVE_EXIT] = SYS_exit_group, [NATIVE_EXECUTE] = SYS_execve,
        [NATIVE_EXIT_THREAD] = SYS_exit};
    return numbers[n];
}
