// SPDX-License-Identifier: Apache-2.0
// A raw clone() thread without libc: PARENT_SETTID and CHILD_SETTID are there at once, CHILD_CLEARTID wakes a futex at its end.
#include "b_check.h"
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static int parent_tid, child_tid, clear_tid = -1, from_child, child_pid;

/* fn(arg) on a new stack; glibc's clone() would do, but its errno and TLS must not be shared. */
static long raw_clone(unsigned long flags, void *stack, int *ptid, int *ctid, void (*fn)(void))
{
    long ret;
    register int *r10 __asm__("r10") = ctid;
    register long r8 __asm__("r8") = 0;
    register void (*r9)(void) __asm__("r9") = fn;
    __asm__ volatile("syscall; test %%rax, %%rax; jnz 1f; xor %%ebp, %%ebp; call *%%r9; mov $60, %%eax; xor %%edi, %%edi; syscall; 1:"
                     : "=a"(ret) : "0"(SYS_clone), "D"(flags), "S"(stack), "d"(ptid), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return ret;
}

static void child(void)
{
    long tid, pid;
    __asm__ volatile("syscall" : "=a"(tid) : "0"(SYS_gettid) : "rcx", "r11", "memory");
    __asm__ volatile("syscall" : "=a"(pid) : "0"(SYS_getpid) : "rcx", "r11", "memory");
    from_child = (int)tid;
    child_pid = (int)pid;
}

int main(void)
{
    unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    char *stack = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 100; i++) {
        parent_tid = from_child = child_tid = 0;
        clear_tid = -1;
        int *ctid = i % 2 ? &child_tid : &clear_tid;
        long tid = raw_clone(flags | (i % 2 ? CLONE_CHILD_SETTID : 0), stack + 65536, &parent_tid, ctid, child);
        CHECK(tid > 0 && parent_tid == tid);
        int last = i % 2 ? (int)tid : -1; /* CHILD_SETTID or what was there, then 0 */
        if (i % 2)
            while (__atomic_load_n(ctid, __ATOMIC_SEQ_CST) == 0 && __atomic_load_n(&from_child, __ATOMIC_SEQ_CST) == 0)
                ;
        while (__atomic_load_n(ctid, __ATOMIC_SEQ_CST) != 0)
            syscall(SYS_futex, ctid, FUTEX_WAIT, last, 0, 0, 0);
        CHECK(from_child == tid && child_pid == getpid());
    }
    say("raw clone ok\n");
    return 0;
}
