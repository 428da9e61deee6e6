// What /proc/self says about the program is about the program.
// test: args=one '' three
#include "a_guest.h"
#include <fcntl.h>
#include <errno.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static void show(const char *path)
{
    char text[4096];
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0);
    ssize_t n = read(fd, text, sizeof text);
    CHECK(n > 0);
    printf("%s:", path);
    for (ssize_t i = 0; i < n; i++)
        printf(text[i] ? "%c" : "|", text[i]);
    printf("\n");
    close(fd);
}

int main(int argc, char **argv)
{
    char exe[4096] = "", other[64], name[17] = "";
    struct stat a, b;
    CHECK(argc == 4);
    CHECK(readlink("/proc/self/exe", exe, sizeof exe - 1) > 0);
    printf("exe %s\n", exe);
    snprintf(other, sizeof other, "/proc/%d/exe", getpid());
    memset(exe, 0, sizeof exe);
    CHECK(readlink(other, exe, sizeof exe - 1) > 0);
    printf("by pid %d\n", strcmp(exe, argv[0]) == 0);
    CHECK(stat("/proc/self/exe", &a) == 0 && stat(argv[0], &b) == 0);
    printf("same file %d\n", a.st_ino == b.st_ino && a.st_dev == b.st_dev);
    char magic[4];
    int fd = open("/proc/self/exe", O_RDONLY);
    CHECK(fd >= 0 && read(fd, magic, 4) == 4 && fstat(fd, &a) == 0);
    printf("opened %d, fd %d\n", a.st_ino == b.st_ino, fd);
    close(fd);
    show("/proc/self/cmdline");
    show("/proc/self/comm");
    show("/proc/self/environ");
    CHECK(prctl(PR_GET_NAME, name) == 0);
    printf("name %s\n", name);
    printf("short %s\n", program_invocation_short_name);
    return 0;
}
