// A sandbox: the root is an empty folder, nothing of /proc in reach, and then a filter is set. Needs root; says the same when it is not.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = {4, code};
    mkdir("empty", 0700);
    if (chroot("empty") || chdir("/"))
        puts("no chroot");
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int r = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
    printf("filter %d\n", r);
    errno = 0;
    long p = syscall(SYS_getppid);
    printf("getppid %s\n", p == -1 && errno == EXDEV ? "refused" : "works");
    return 0;
}
