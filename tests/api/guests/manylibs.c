// SPDX-License-Identifier: Apache-2.0
// The program may not ask for its parent any more, the tool may, from whatever library of its own.
// modes: plain slow
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void at_early(void);
void at_late(void);
void at_early(void) { __asm__ volatile(""); }
void at_late(void) { __asm__ volatile("nop"); }

int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 77),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
        return 1;
    at_early();
    at_late();
    return syscall(SYS_getppid) == -1 && errno == 77 ? 7 : 2;
}
//> manylibs status=7
//= early: made
//= late: made
