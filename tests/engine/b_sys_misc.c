// SPDX-License-Identifier: Apache-2.0
// Small calls: uname, umask, chdir, getcwd, getrandom, affinity, ids, sysinfo, sched policy.
#include "b_check.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

int main(void)
{
    struct utsname u;
    char cwd[4096], a[32] = { 0 }, b[32] = { 0 };
    struct stat st;
    CHECK(uname(&u) == 0);
    say("%s %s\n", u.sysname, u.machine);
    umask(027);
    char dir[] = "/tmp/b_sys_misc_XXXXXX";
    CHECK(mkdtemp(dir) && chdir(dir) == 0 && getcwd(cwd, sizeof cwd) && !strcmp(cwd, dir));
    int fd = open("f", O_CREAT | O_WRONLY, 0777);
    CHECK(fd >= 0 && fstat(fd, &st) == 0);
    say("mode %o umask %o\n", st.st_mode, umask(022));
    CHECK(unlink("f") == 0 && rmdir(dir) == 0);
    CHECK(getcwd(cwd, sizeof cwd) == 0 && errno == ENOENT);
    CHECK(chdir("/") == 0);
    CHECK_ERR(chdir("/nonexistent"), ENOENT);
    CHECK(getrandom(a, 32, 0) == 32 && getrandom(b, 32, GRND_NONBLOCK) == 32 && memcmp(a, b, 32));
    cpu_set_t all, one;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) >= 1);
    int cpu = sched_getcpu();
    while (!CPU_ISSET(cpu, &all))
        cpu = (cpu + 1) % 1024;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0 && sched_getcpu() == cpu);
    CHECK(sched_getaffinity(0, sizeof one, &one) == 0 && CPU_COUNT(&one) == 1);
    CPU_ZERO(&one);
    CHECK_ERR(sched_setaffinity(0, sizeof one, &one), EINVAL);
    CHECK(getpid() > 1 && getppid() > 0 && getuid() == geteuid() && gettid() == getpid());
    CHECK(getpriority(PRIO_PROCESS, 0) == nice(0) && sched_getscheduler(0) >= 0);
    struct sysinfo si;
    CHECK(sysinfo(&si) == 0 && si.totalram > 0 && get_nprocs_conf() > 0);
    say("misc ok\n");
    return 0;
}
