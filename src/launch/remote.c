/* SPDX-License-Identifier: Apache-2.0
 * See remote.h. Single calls go through a `syscall` instruction of the vdso with two syscall-stops (a single step
 * would raise SIGTRAP, which changes that signal's action when the process ignores it). Many calls go as a batch: a
 * loop of our own, put into a scratch page, walks the plan and ends in int3. */
#include "launch/remote.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(struct plan_op) == 80 && offsetof(struct plan_op, result) == 56, "batch below");

/* rbx: first op, r12: how many. Stops after the last one or the first that fails. */
__asm__(".pushsection .rodata\n"
        "remote_batch:\n"
        "1:  mov 64(%rbx), %rcx\n"
        "    test %rcx, %rcx\n"
        "    jz 2f\n"
        "    mov (%rcx), %rcx\n"
        "    mov 72(%rbx), %rdx\n"
        "    mov %rcx, (%rdx)\n"
        "2:  mov (%rbx), %rax\n"
        "    mov 8(%rbx), %rdi\n"
        "    mov 16(%rbx), %rsi\n"
        "    mov 24(%rbx), %rdx\n"
        "    mov 32(%rbx), %r10\n"
        "    mov 40(%rbx), %r8\n"
        "    mov 48(%rbx), %r9\n"
        "    syscall\n"
        "    mov %rax, 56(%rbx)\n"
        "    cmp $-4096, %rax\n"
        "    ja 3f\n"
        "    add $80, %rbx\n"
        "    dec %r12\n"
        "    jnz 1b\n"
        "3:  int3\n"
        "remote_batch_end:\n"
        ".popsection\n");
extern const u8 remote_batch[], remote_batch_end[];

void remote_fail(struct remote *r, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    base_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    if (r->give_up) {
        r->give_up();
        die(1, "%s", text);
    }
    /* The message comes before the end of the process, for which whoever started it waits. The process ends with a
     * clean status if it still obeys; PTRACE_O_EXITKILL takes care of it otherwise. */
    msg("%s", text);
    struct user_regs_struct regs = r->regs;
    regs.rax = SYS_exit_group;
    regs.rdi = 1;
    regs.rip = r->syscall_pc;
    regs.orig_rax = (u64)-1;
    if (r->syscall_pc && ptrace(PTRACE_SETREGS, r->pid, NULL, &regs) == 0)
        ptrace(PTRACE_DETACH, r->pid, NULL, NULL);
    _exit(1);
}

static void process_gone(const struct remote *r) NORETURN;
static void process_gone(const struct remote *r)
{
    if (r->give_up)
        die(1, "the process ended while the engine was at work in it");
    _exit(0);
}

/* When a process is killed, the kernel reports the end of its first thread only after that of all others: so the
 * others are waited for, too. */
static pid_t wait_for(const struct remote *r, int *st)
{
    for (;;) {
        siginfo_t info = {0};
        int err = waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL);
        if (err && errno != EINTR)
            return -1;
        bool ended = info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
        if (!err && (info.si_pid == r->pid || !ended))
            return waitpid(r->pid, st, __WALL);
        if (!err)
            waitpid(info.si_pid, st, __WALL);
    }
}

void remote_resume(struct remote *r, int request, int want)
{
    for (;;) {
        int st;
        if (ptrace(request, r->pid, NULL, NULL) && errno == ESRCH)
            process_gone(r); /* killed */
        if (wait_for(r, &st) < 0 || !WIFSTOPPED(st))
            process_gone(r);
        if (st >> 16 == 0 && WSTOPSIG(st) == want)
            return;
        if (st >> 16 == 0 && WSTOPSIG(st) == SIGSTOP)
            r->owes_stop = true;
        else if (st >> 16 == 0 && WSTOPSIG(st) != (SIGTRAP | 0x80))
            remote_fail(r, "the program got signal %d (%s) while the engine was being put into it", WSTOPSIG(st),
                        strsignal(WSTOPSIG(st)));
    }
}

long remote_syscall(struct remote *r, long nr, const u64 arg[6])
{
    struct user_regs_struct regs = r->regs;
    regs.rax = (u64)nr;
    regs.orig_rax = (u64)-1;
    regs.rip = r->syscall_pc;
    regs.rdi = arg[0];
    regs.rsi = arg[1];
    regs.rdx = arg[2];
    regs.r10 = arg[3];
    regs.r8 = arg[4];
    regs.r9 = arg[5];
    if (ptrace(PTRACE_SETREGS, r->pid, NULL, &regs))
        remote_fail(r, "cannot set registers: %s", strerror(errno));
    remote_resume(r, PTRACE_SYSCALL, SIGTRAP | 0x80);
    remote_resume(r, PTRACE_SYSCALL, SIGTRAP | 0x80);
    errno = 0;
    long result = ptrace(PTRACE_PEEKUSER, r->pid, offsetof(struct user, regs.rax), NULL);
    if (errno)
        remote_fail(r, "cannot read registers: %s", strerror(errno));
    return result;
}

/* Writes word by word, which works where process_vm_* is filtered, and on pages that are not writable. */
static bool poke(struct remote *r, u64 to, const u8 *from, u64 bytes)
{
    for (u64 i = 0; i < bytes; i += 8) {
        long word = 0;
        if (bytes - i < 8) {
            errno = 0;
            word = ptrace(PTRACE_PEEKDATA, r->pid, to + i, NULL);
            if (errno)
                return false;
        }
        memcpy(&word, from + i, bytes - i < 8 ? bytes - i : 8);
        if (ptrace(PTRACE_POKEDATA, r->pid, to + i, word))
            return false;
    }
    return true;
}

static bool peek(struct remote *r, u64 from, u8 *to, u64 bytes)
{
    for (u64 i = 0; i < bytes; i += 8) {
        errno = 0;
        long word = ptrace(PTRACE_PEEKDATA, r->pid, from + i, NULL);
        if (errno)
            return false;
        memcpy(to + i, &word, bytes - i < 8 ? bytes - i : 8);
    }
    return true;
}

bool remote_read(struct remote *r, u64 from, void *to, u64 bytes)
{
    struct iovec local = {to, bytes}, there = {(void *)from, bytes};
    return process_vm_readv(r->pid, &local, 1, &there, 1, 0) == (ssize_t)bytes || peek(r, from, to, bytes);
}

bool remote_write_all(struct remote *r, const struct plan_mem *mem, u32 n)
{
    static const u8 zeros[PAGE_BYTES];
    static struct iovec local[PLAN_MEMS], there[PLAN_MEMS];
    u64 total = 0;
    ASSERT(n <= PLAN_MEMS);
    for (u32 i = 0; i < n; i++) {
        ASSERT(mem[i].src || mem[i].bytes <= sizeof zeros);
        local[i] = (struct iovec){(void *)(mem[i].src ? mem[i].src : zeros), mem[i].bytes};
        there[i] = (struct iovec){(void *)mem[i].dst, mem[i].bytes};
        total += mem[i].bytes;
    }
    if (process_vm_writev(r->pid, local, n, there, n, 0) == (ssize_t)total)
        return true;
    for (u32 i = 0; i < n; i++)
        if (!poke(r, mem[i].dst, local[i].iov_base, mem[i].bytes))
            return false;
    return true;
}

/* Offset of a syscall instruction in the vdso, found in our own: it is the kernel's, the same for every process. */
static u64 find_in_vdso(void)
{
    const u8 *vdso = (const u8 *)getauxval(AT_SYSINFO_EHDR);
    if (!vdso)
        return 0;
    const Elf64_Ehdr *eh = (const Elf64_Ehdr *)vdso;
    const Elf64_Phdr *ph = (const Elf64_Phdr *)(vdso + eh->e_phoff);
    for (int i = 0; i < eh->e_phnum; i++)
        for (u64 k = 0; ph[i].p_type == PT_LOAD && k + 1 < ph[i].p_filesz; k++)
            if (vdso[ph[i].p_offset + k] == 0x0f && vdso[ph[i].p_offset + k + 1] == 0x05)
                return ph[i].p_offset + k;
    return 0;
}

u64 remote_find_syscall(u64 vdso)
{
    u64 off = vdso ? find_in_vdso() : 0;
    return off ? vdso + off : 0;
}

void remote_open(struct remote *r, u64 vdso)
{
    u64 off = vdso ? find_in_vdso() : 0;
    r->syscall_pc = vdso + off;
    if (off)
        return;
    errno = 0;
    r->saved_word = ptrace(PTRACE_PEEKDATA, r->pid, r->regs.rip, NULL);
    long word = (r->saved_word & ~0xffffl) | 0x050f;
    if (errno || ptrace(PTRACE_POKEDATA, r->pid, r->regs.rip, word))
        remote_fail(r, "the program's memory cannot be written: %s", strerror(errno));
    r->syscall_pc = r->regs.rip;
    r->poked = true;
}

void remote_close(struct remote *r)
{
    if (r->poked && ptrace(PTRACE_POKEDATA, r->pid, r->regs.rip, r->saved_word))
        remote_fail(r, "the program's memory cannot be restored: %s", strerror(errno));
    r->poked = false;
}

long remote_scratch(struct remote *r)
{
    u64 map[6] = {0, REMOTE_SCRATCH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (u64)-1, 0};
    long at = remote_syscall(r, SYS_mmap, map);
    if ((u64)at > (u64)-4096)
        return at;
    struct plan_mem code = {(u64)at, remote_batch, (u64)(remote_batch_end - remote_batch)};
    if (!remote_write_all(r, &code, 1))
        remote_fail(r, "the program's memory cannot be written: %s", strerror(errno));
    u64 protect[6] = {(u64)at, PAGE_BYTES, PROT_READ | PROT_EXEC};
    long err = remote_syscall(r, SYS_mprotect, protect);
    return err ? err : at;
}

/* The kernel unblocks SIGTRAP at an int3 that finds it blocked, so it is blocked again. A SIGTRAP that somebody sent
 * meanwhile has merged with ours. */
static void after_trap(struct remote *r)
{
    siginfo_t info;
    u64 all = ~0ul;
    if (ptrace(PTRACE_GETSIGINFO, r->pid, NULL, &info) == 0 && info.si_code <= 0)
        r->owes_trap = true;
    if (ptrace(PTRACE_SETSIGMASK, r->pid, sizeof all, &all))
        remote_fail(r, "the program's signal mask cannot be set: %s", strerror(errno));
}

void remote_resend(const struct remote *r)
{
    if (r->owes_trap)
        kill(r->pid, SIGTRAP);
    if (r->owes_stop)
        kill(r->pid, SIGSTOP);
}

int remote_run(struct remote *r, struct plan *p, u64 scratch)
{
    u64 op_bytes = p->ops * sizeof(struct plan_op), text = offsetof(struct plan_page, text);
    struct plan_mem mem[2] = {{p->at, p->page.op, op_bytes}, {p->at + text, p->page.text, p->text}};
    struct user_regs_struct regs = r->regs;
    ASSERT(p->at == scratch + PAGE_BYTES);
    regs.rip = scratch;
    regs.rbx = p->at + offsetof(struct plan_page, op);
    regs.r12 = p->ops;
    regs.orig_rax = (u64)-1;
    if (!remote_write_all(r, mem, 2) || ptrace(PTRACE_SETREGS, r->pid, NULL, &regs))
        remote_fail(r, "the program's memory cannot be written: %s", strerror(errno));
    remote_resume(r, PTRACE_CONT, SIGTRAP);
    after_trap(r);
    if (!remote_read(r, p->at, p->page.op, op_bytes))
        remote_fail(r, "the program's memory cannot be read: %s", strerror(errno));
    for (u32 i = 0; i < p->ops; i++)
        if (p->page.op[i].result > (u64)-4096)
            return (int)i;
    return -1;
}
