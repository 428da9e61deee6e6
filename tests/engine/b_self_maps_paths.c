// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// The same map under every name: self, own pid, thread-self, task/TID, openat below a directory, smaps; and from a thread. No file
// is in it but those that the program's own dynamic linker has loaded, each only where that has loaded it.
#include "b_check.h"
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static char *page;
static void *volatile heap;

struct range {
    uintptr_t lo, hi;
    int inside;
};

static int is_inside(struct dl_phdr_info *object, size_t size, void *arg)
{
    struct range *r = arg;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        uintptr_t lo = (object->dlpi_addr + p->p_vaddr) & -4096ul, hi = (object->dlpi_addr + p->p_vaddr + p->p_memsz + 4095) & -4096ul;
        r->inside |= p->p_type == PT_LOAD && r->lo >= lo && r->hi <= hi;
    }
    return r->inside;
}

/* A line that names a file is about an object that the program has loaded. */
static int is_own(const char *line, uintptr_t lo, uintptr_t hi)
{
    struct range r = {lo, hi, 0};
    if (strchr(line, '/'))
        dl_iterate_phdr(is_inside, &r);
    return r.inside || !strchr(line, '/');
}

static int lines_at(int dir, const char *path, int *found)
{
    int fd = openat(dir, path, O_RDONLY | O_CLOEXEC), lines = 0;
    CHECK(fd >= 0);
    FILE *f = fdopen(fd, "r");
    char line[4096];
    unsigned long lo, hi;
    while (fgets(line, sizeof line, f)) {
        char perm[8];
        if (sscanf(line, "%lx-%lx %4s", &lo, &hi, perm) != 3)
            continue;
        lines++;
        if (lo == (uintptr_t)page && hi == lo + 4096 && !strcmp(perm, "r-xp"))
            ++*found;
        CHECK(is_own(line, lo, hi));
    }
    fclose(f);
    return lines;
}

static void *look(void *arg)
{
    char name[100];
    heap = malloc(100); /* this thread's heap exists before the first look */
    int found = 0, base = lines_at(AT_FDCWD, "/proc/self/maps", &found), dir = open("/proc/self", O_RDONLY | O_DIRECTORY);
    (void)arg;
    CHECK(found == 1 && dir >= 0);
    CHECK(lines_at(AT_FDCWD, "/proc/thread-self/maps", &found) == base);
    snprintf(name, sizeof name, "/proc/%d/maps", getpid());
    CHECK(lines_at(AT_FDCWD, name, &found) == base);
    snprintf(name, sizeof name, "/proc/%d/task/%ld/maps", getpid(), syscall(SYS_gettid));
    CHECK(lines_at(AT_FDCWD, name, &found) == base);
    CHECK(lines_at(dir, "maps", &found) == base);
    CHECK(lines_at(AT_FDCWD, "/proc/../proc/self/./maps", &found) == base);
    CHECK(lines_at(AT_FDCWD, "/proc/self/smaps", &found) == base);
    say("found %d of 7\n", found);
    close(dir);
    return 0;
}

int main(void)
{
    page = mmap((void *)0x31000000, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(page != MAP_FAILED);
    pthread_t t;
    look(0);
    CHECK(pthread_create(&t, 0, look, 0) == 0 && pthread_join(t, 0) == 0);
    return 0;
}
