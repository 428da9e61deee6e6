/* SPDX-License-Identifier: Apache-2.0
 * Reads folders by libc, which wants places of 32 bits in them, and by the old system call, whose entries have words of 4 bytes; and says which descriptors there are. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct old_entry {
    unsigned ino, place;
    unsigned short bytes;
    char name[];
};

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void by_libc(const char *path)
{
    char *name[4096];
    int n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; (e = readdir(d));)
        name[n++] = strdup(e->d_name);
    closedir(d);
    qsort(name, n, sizeof *name, compare);
    for (int i = 0; i < n; i++)
        printf("%s ", name[i]);
    puts("");
}

static void by_old_call(const char *path)
{
    char buf[512];
    unsigned n = 0, sum = 0;
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    for (long got; (got = syscall(SYS_getdents, fd, buf, sizeof buf)) > 0;)
        for (long at = 0; at < got;) {
            struct old_entry *e = (struct old_entry *)(buf + at);
            n++;
            for (const char *c = e->name; *c; c++)
                sum = sum + (unsigned char)*c * (unsigned)(c - e->name + 1);
            at += e->bytes;
        }
    printf("%u %u\n", n, sum);
    close(fd);
}

int main(void)
{
    char template[] = "/tmp/folderXXXXXX", path[64];
    if (!mkdtemp(template) || chdir(template))
        return 1;
    for (int i = 0; i < 50; i++) {
        snprintf(path, sizeof path, "file%d", i);
        close(open(path, O_CREAT | O_WRONLY, 0600));
    }
    by_libc(".");
    by_old_call(".");
    by_old_call("/proc/self/fd");
    by_old_call("/proc/self/task/../fdinfo");
    for (int i = 0; i < 50; i++) {
        snprintf(path, sizeof path, "file%d", i);
        unlink(path);
    }
    return chdir("/") || rmdir(template);
}
