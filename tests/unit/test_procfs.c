/* SPDX-License-Identifier: Apache-2.0
 * procfs.c and procview.c: which paths are recognised, and what the guest reads. */
#include "unit.h"

#include "os/linux/signal.h"
#include "os/gmap.h"
#include "os/linux/hostfd.h"
#include "os/hostmem.h"
#include "os/linux/mapsfile.h"
#include "os/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

u64 thread_guest_tasks(u64 all) { return hosttask_any() ? 1 : all; }

#define RW (PROT_READ | PROT_WRITE)
#define RX (PROT_READ | PROT_EXEC)

static char text_a[1 << 20], text_b[1 << 20];

static char *read_fd(int fd, char *into)
{
    size_t at = 0;
    ssize_t n;
    assert_true(fd >= 0);
    while ((n = read(fd, into + at, sizeof text_a - 1 - at)) > 0)
        at += (size_t)n;
    assert_int_equal(n, 0);
    into[at] = '\0';
    close(fd);
    return into;
}

static char *read_kernel(const char *path, char *into)
{
    return read_fd(open(path, O_RDONLY), into);
}

/* As the guest opens it: by the kernel, then told to procfs. -1: not one of ours. */
static int open_guest_at(int dirfd, const char *path, int flags)
{
    int fd = openat(dirfd, path, flags);
    if (fd < 0 || procfs_opened(fd, path, flags))
        return fd;
    close(fd);
    return -1;
}

static int open_guest(const char *path)
{
    return open_guest_at(AT_FDCWD, path, O_RDONLY);
}

static void close_guest(int fd)
{
    procread_closing((u32)fd, (u32)fd);
    close(fd);
}

static char *read_guest_fd(int fd, char *into)
{
    size_t at = 0;
    s64 n;
    assert_true(fd >= 0);
    while ((n = procread_read(fd, -1, into + at, sizeof text_a - 1 - at)) > 0)
        at += (size_t)n;
    assert_int_equal(n, 0);
    into[at] = '\0';
    close_guest(fd);
    return into;
}

static char *read_guest(const char *path, char *into)
{
    return read_guest_fd(open_guest(path), into);
}

/* --- paths ------------------------------------------------------------------------------------------------------------ */

static void expect_maps(int dirfd, const char *path)
{
    int fd = open_guest_at(dirfd, path, O_RDONLY);
    char c;
    if (fd < 0)
        fail_msg("%s is not answered: %d", path, fd);
    assert_int_equal(procread_read(fd, -1, &c, 1), 1);
    close_guest(fd);
}

static void test_paths_of_ours(void **state)
{
    (void)state;
    char path[8][64];
    base_format(path[0], 64, "/proc/%d/maps", getpid());
    base_format(path[1], 64, "/proc/%d/task/%d/maps", getpid(), gettid());
    base_format(path[2], 64, "/proc/self/task/%d/smaps", gettid());
    base_format(path[3], 64, "/proc/thread-self/../%d/maps", gettid());
    base_format(path[4], 64, "/proc/1/../%d/./maps", getpid());
    const char *const all[] = {"/proc/self/maps", "/proc/self/smaps", "/proc/self/numa_maps", "/proc/thread-self/maps", "//proc//self///maps", "/proc/./self/./maps",
                               "/proc/self/../self/maps", "/../proc/self/maps", "/proc/thread-self/../../maps", "/proc/self/status", "/proc/self/stat", "/proc/self/statm",
                               "/proc/self/limits", path[0], path[1], path[2], path[3], path[4]};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (access(all[i], F_OK) == 0) /* numa_maps depends on the kernel */
            expect_maps(AT_FDCWD, all[i]);
    assert_false(procread_any());
}

static void test_relative_paths(void **state)
{
    (void)state;
    int self = open("/proc/self", O_RDONLY | O_DIRECTORY), proc = open("/proc", O_PATH | O_DIRECTORY), tmp = open("/tmp", O_RDONLY | O_DIRECTORY);
    char cwd[4096];
    assert_non_null(getcwd(cwd, sizeof cwd));
    expect_maps(self, "maps");
    expect_maps(self, "./smaps");
    expect_maps(self, "task/../maps");
    expect_maps(proc, "self/maps");
    expect_maps(proc, "thread-self/maps");
    expect_maps(tmp, "/proc/self/maps");
    assert_int_equal(open_guest_at(tmp, "maps", O_RDONLY), -1);
    assert_int_equal(open_guest_at(tmp, "self/maps", O_RDONLY), -1);
    assert_int_equal(open_guest_at(999, "maps", O_RDONLY), -1);
    assert_int_equal(chdir("/proc/self"), 0);
    expect_maps(AT_FDCWD, "maps");
    expect_maps(AT_FDCWD, "../self/maps");
    assert_int_equal(chdir(cwd), 0);
    close(self);
    close(proc);
    close(tmp);
}

static void test_paths_of_others(void **state)
{
    (void)state;
    static const char *const all[] = {"", "/", "maps", "/proc", "/proc/", "/proc/maps", "/proc/1/maps", "/proc/1/stat", "/proc/self/mapsx", "/proc/self/mem", "/proc/selfmaps",
                                      "/proc/self/task/maps", "/proc/self/task/1/maps", "/proc/self/maps/x", "/tmp/proc/self/maps", "/proc/self/net/../../x/maps",
                                      "/proc/99999999999/maps", "/proc/self/smaps_rollup", "/proc/self/fd/0", "/proc/self/exe", "/proc/stat", "/etc/passwd"};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        assert_int_equal(procfs_open(AT_FDCWD, all[i], O_RDONLY), PROCFS_NOT_OURS);
        assert_int_equal(open_guest(all[i]), -1);
    }
    assert_int_equal(open_guest_at(AT_FDCWD, "/proc/self/maps", O_WRONLY), -1);
    assert_int_equal(open_guest_at(AT_FDCWD, "/proc/self/maps", O_PATH), -1);
    assert_false(procread_any());
}

static void test_positions(void **state)
{
    (void)state;
    int fd = open_guest("/proc/self/maps"), twin = dup(fd);
    char a[100], b[100];
    procread_duplicated(fd, twin);
    assert_int_equal(procread_read(fd, -1, a, 50), 50);
    assert_int_equal(procread_seek(twin, 0, SEEK_CUR), 50);
    assert_int_equal(procread_seek(twin, -40, SEEK_CUR), 10);
    assert_int_equal(procread_read(fd, -1, b, 40), 40);
    assert_memory_equal(a + 10, b, 40);
    assert_int_equal(procread_read(twin, 20, b, 10), 10);
    assert_memory_equal(a + 20, b, 10);
    assert_int_equal(procread_seek(fd, 0, SEEK_CUR), 50);
    assert_int_equal(procread_seek(fd, -1, SEEK_SET), -EINVAL);
    assert_int_equal(procread_seek(fd, 0, SEEK_END), -EINVAL);
    assert_int_equal(procread_seek(fd, 1 << 30, SEEK_SET), 1 << 30);
    assert_int_equal(procread_read(fd, -1, b, 10), 0);
    close_guest(fd);
    assert_true(procread_is(twin));
    assert_int_equal(dup2(0, twin), twin); /* behind our back */
    assert_int_equal(procread_read(twin, -1, b, 10), PROCFS_NOT_OURS);
    assert_false(procread_is(twin));
    close(twin);
}

/* Whole lines, at most a page less one byte. */
static void test_pieces(void **state)
{
    (void)state;
    int fd = open_guest("/proc/self/smaps");
    s64 n = procread_read(fd, -1, text_a, sizeof text_a);
    assert_true(n > 2000 && n < 4096);
    assert_int_equal(text_a[n - 1], '\n');
    close_guest(fd);
}

/* --- maps ----------------------------------------------------------------------------------------------------------------- */

/* The kernel's lines without the host's; the test's own text buffers are static, so the maps do not change between the two reads. */
static void drop_host_lines(char *text)
{
    char *to = text;
    for (char *line = text, *end; *line; line = end) {
        end = strchr(line, '\n') + 1;
        struct maps_area a;
        end[-1] = '\0';
        assert_true(maps_parse_line(line, &a));
        end[-1] = '\n';
        if (hostmem_overlaps(a.start, a.end))
            continue;
        memmove(to, line, (size_t)(end - line));
        to += end - line;
    }
    *to = '\0';
}

static void test_maps_without_host(void **state)
{
    (void)state;
    UNIT_NOT_UNDER_ASAN();
    /* Something between, so that the kernel does not join host and guest. */
    u8 *host = hostmem_map(64 * PAGE_BYTES, PROT_READ);
    gmap_init();
    free(malloc(300000)); /* whatever malloc maps at its first big block is there now */
    read_kernel("/proc/self/maps", text_a);
    read_guest("/proc/self/maps", text_b);
    char range[40];
    base_format(range, sizeof range, "%lx-", (u64)host);
    assert_non_null(strstr(text_a, range));
    assert_null(strstr(text_b, range));
    drop_host_lines(text_a);
    assert_string_equal(text_b, text_a);
    hostmem_unmap(host, 64 * PAGE_BYTES);
}

/* The line that begins at addr, cut at its newline. */
static const char *line_at(char *text, u64 addr)
{
    static char line[512];
    char start[32];
    base_format(start, sizeof start, "%08lx-", addr);
    const char *found = strncmp(text, start, strlen(start)) == 0 ? text : NULL;
    base_format(start, sizeof start, "\n%08lx-", addr);
    if (!found && (found = strstr(text, start)) != NULL)
        found++;
    if (!found)
        return "none";
    size_t n = strcspn(found, "\n");
    memcpy(line, found, n);
    line[n] = '\0';
    return line;
}

static u8 *guest_pages(u32 n, int prot)
{
    /* Guard pages that are the guest's too, so that nothing else joins. */
    u8 *p = mmap(NULL, (n + 2) * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(mprotect(p + PAGE_BYTES, n * PAGE_BYTES, prot), 0);
    memset(p + PAGE_BYTES, 0, prot & PROT_WRITE ? n * PAGE_BYTES : 0);
    gmap_init();
    return p + PAGE_BYTES;
}

static void release_pages(u8 *p, u32 n)
{
    munmap(p - PAGE_BYTES, (n + 2) * PAGE_BYTES);
    gmap_init();
}

static void expect_line(const char *file, u64 start, u64 end, const char *prot)
{
    char want[64];
    base_format(want, sizeof want, "%08lx-%08lx %s ", start, end, prot);
    read_guest(file, text_b);
    const char *line = line_at(text_b, start);
    if (strncmp(line, want, strlen(want)) != 0)
        fail_msg("%s: wanted '%s', got '%s'", file, want, line);
}

/* E16: the engine takes the write permission from pages; the guest sees the one area that it made. */
static void test_protected_pages_are_joined(void **state)
{
    (void)state;
    u8 *p = guest_pages(10, RW | PROT_EXEC);
    for (int i = 2; i < 10; i += 3)
        mprotect(p + (size_t)i * PAGE_BYTES, PAGE_BYTES, RX);
    expect_line("/proc/self/maps", (u64)p, (u64)p + 10 * PAGE_BYTES, "rwxp");
    expect_line("/proc/self/smaps", (u64)p, (u64)p + 10 * PAGE_BYTES, "rwxp");
    const char *entry = strstr(text_b, line_at(text_b, (u64)p));
    assert_non_null(entry);
    static const char *const fields[] = {"\nSize:                 40 kB\n", "\nRss:                  40 kB\n", "\nKernelPageSize:        4 kB\n", "\nVmFlags: rd wr ex mr mw me "};
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        const char *at = strstr(entry, fields[i]);
        assert_non_null(at);
        assert_true(at - entry < 1200);
    }
    release_pages(p, 10);
}

/* What the guest itself has protected differently stays apart, also where the kernel sees one area because of us. */
static void test_guest_borders_stay(void **state)
{
    (void)state;
    u8 *p = guest_pages(8, RX);
    gmap_protect((u64)p + 4 * PAGE_BYTES, (u64)p + 8 * PAGE_BYTES, GMAP_READ | GMAP_WRITE | GMAP_EXEC);
    expect_line("/proc/self/maps", (u64)p, (u64)p + 4 * PAGE_BYTES, "r-xp");
    expect_line("/proc/self/maps", (u64)p + 4 * PAGE_BYTES, (u64)p + 8 * PAGE_BYTES, "rwxp");
    expect_line("/proc/self/smaps", (u64)p + 4 * PAGE_BYTES, (u64)p + 8 * PAGE_BYTES, "rwxp");
    release_pages(p, 8);
    p = guest_pages(8, RW);
    mprotect(p, 4 * PAGE_BYTES, PROT_READ);
    gmap_protect((u64)p, (u64)p + 4 * PAGE_BYTES, GMAP_READ);
    expect_line("/proc/self/maps", (u64)p, (u64)p + 4 * PAGE_BYTES, "r--p");
    release_pages(p, 8);
}

/* Host memory beside guest memory of the same kind: the kernel has one area, the guest its part of it. */
static void test_host_beside_guest(void **state)
{
    (void)state;
    u8 *p = guest_pages(9, RW);
    hostmem_note((u64)p + 3 * PAGE_BYTES, (u64)p + 6 * PAGE_BYTES);
    gmap_init();
    expect_line("/proc/self/maps", (u64)p, (u64)p + 3 * PAGE_BYTES, "rw-p");
    expect_line("/proc/self/maps", (u64)p + 6 * PAGE_BYTES, (u64)p + 9 * PAGE_BYTES, "rw-p");
    expect_line("/proc/self/smaps", (u64)p, (u64)p + 3 * PAGE_BYTES, "rw-p");
    assert_non_null(strstr(text_b, "\nRss:                  12 kB\n"));
    hostmem_unmap(p + 3 * PAGE_BYTES, 3 * PAGE_BYTES);
    munmap(p - PAGE_BYTES, 4 * PAGE_BYTES);
    munmap(p + 6 * PAGE_BYTES, 4 * PAGE_BYTES);
    gmap_init();
}

static void test_heap_name(void **state)
{
    (void)state;
    u8 *p = guest_pages(2, RW);
    gmap_add(&(struct gmap_area){.start = (u64)p, .end = (u64)p + 2 * PAGE_BYTES, .flags = GMAP_READ | GMAP_WRITE | GMAP_HEAP});
    read_guest("/proc/self/maps", text_b);
    const char *line = line_at(text_b, (u64)p);
    assert_int_equal(strlen(line), 73 + strlen("[heap]"));
    assert_string_equal(line + 73, "[heap]");
    release_pages(p, 2);
}

/* With nothing to hide, smaps is what the kernel writes, but for numbers that change by themselves. */
static void test_smaps_format(void **state)
{
    (void)state;
    UNIT_NOT_UNDER_ASAN();
    gmap_init();
    read_kernel("/proc/self/smaps", text_a);
    read_guest("/proc/self/smaps", text_b);
    char *a = text_a, *b = text_b;
    u32 lines = 0;
    while (*a && *b) {
        char *ae = strchr(a, '\n'), *be = strchr(b, '\n');
        *ae = *be = '\0';
        struct maps_area x;
        if (maps_parse_line(a, &x) && hostmem_overlaps(x.start, x.end)) { /* hostmem's own registry */
            *be = '\n';
            do {
                a = ae + 1;
                ae = strchr(a, '\n');
                *ae = '\0';
            } while (!maps_parse_line(a, &x));
            *ae = '\n';
            continue;
        }
        size_t same = strcspn(a, ":");
        assert_int_equal(strlen(a), strlen(b));
        assert_memory_equal(a, b, same);
        if (strstr(a, "Size:") || strstr(a, "VmFlags") || strstr(a, "THP"))
            assert_string_equal(a, b);
        a = ae + 1;
        b = be + 1;
        lines++;
    }
    assert_int_equal(*b, 0);
    assert_true(lines > 200);
}

/* The kernel writes the text when it is read: what is mapped between open and the first read is in it, and no longer what was unmapped; and anew from the start. */
static void test_map_changes_after_open(void **state)
{
    (void)state;
    static const char *const files[] = {"/proc/self/maps", "/proc/self/smaps"};
    for (int i = 0; i < 2; i++) {
        u8 *gone = guest_pages(3, RW);
        int fd = open_guest(files[i]), other = open_guest(files[i]);
        munmap(gone, 3 * PAGE_BYTES);
        gmap_remove((u64)gone, (u64)gone + 3 * PAGE_BYTES);
        u8 *come = mmap(NULL, 100 * PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        gmap_add(&(struct gmap_area){.start = (u64)come, .end = (u64)come + 100 * PAGE_BYTES, .flags = GMAP_READ});
        char c;
        assert_int_equal(procread_read(other, -1, &c, 1), 1);
        read_guest_fd(fd, text_a);
        assert_string_equal(line_at(text_a, (u64)gone), "none");
        assert_string_not_equal(line_at(text_a, (u64)come), "none");
        munmap(come, 100 * PAGE_BYTES);
        gmap_remove((u64)come, (u64)come + 100 * PAGE_BYTES);
        assert_int_equal(procread_seek(other, 0, SEEK_SET), 0);
        read_guest_fd(other, text_b);
        assert_string_equal(line_at(text_b, (u64)come), "none");
        munmap(gone - PAGE_BYTES, PAGE_BYTES);
        munmap(gone + 3 * PAGE_BYTES, PAGE_BYTES);
        gmap_init();
    }
}

static bool limit_view_of_test(int resource, u64 *soft, u64 *hard)
{
    *soft = 1000;
    *hard = RLIM_INFINITY;
    return resource == RLIMIT_AS;
}

static void test_limits(void **state)
{
    (void)state;
    read_kernel("/proc/self/limits", text_a);
    assert_string_equal(read_guest("/proc/self/limits", text_b), text_a);
    procfs_limit_view = limit_view_of_test;
    read_guest("/proc/self/limits", text_b);
    assert_non_null(strstr(text_b, "\nMax address space         1000                 unlimited            bytes     \n"));
    assert_int_equal(strlen(strstr(text_b, "\nMax file locks")), strlen(strstr(text_a, "\nMax file locks")));
    procfs_limit_view = NULL;
}

static void test_sizes(void **state)
{
    (void)state;
    struct gmap_totals before, after;
    gmap_init();
    gmap_totals(&before);
    u8 *p = guest_pages(10, RW);
    gmap_totals(&after);
    assert_int_equal(after.all_bytes, before.all_bytes + 12 * PAGE_BYTES);
    assert_int_equal(after.data_bytes, before.data_bytes + 10 * PAGE_BYTES);
    assert_int_equal(gmap_bytes_in((u64)p + PAGE_BYTES, (u64)p + 3 * PAGE_BYTES), 2 * PAGE_BYTES);
    char want[64];
    base_format(want, sizeof want, "\nVmSize:\t%8lu kB\n", after.all_bytes / 1024);
    assert_non_null(strstr(read_guest("/proc/self/status", text_b), want));
    base_format(want, sizeof want, "%lu ", after.all_bytes / PAGE_BYTES);
    assert_memory_equal(read_guest("/proc/self/statm", text_b), want, strlen(want));
    release_pages(p, 10);
}

/* --- status, stat, links -------------------------------------------------------------------------------------------------------- */

static bool view(int tid, u64 *blocked, u64 *ignored, u64 *caught)
{
    if (tid != getpid())
        return false;
    *blocked = 1ul << (SIGUSR1 - 1);
    *ignored = 1ul << (SIGPIPE - 1) | 1ul << 63;
    *caught = 1ul << (SIGTERM - 1);
    return true;
}

static u64 stat_number(const char *text, u32 field)
{
    const char *p = strrchr(text, ')') + 1;
    for (u32 i = 3; i < field; i++)
        p = strchr(p + 1, ' ');
    return strtoul(p, NULL, 10);
}

static void *wait_thread(void *barrier)
{
    hosttask_note(gettid());
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier);
    hosttask_forget(gettid());
    return NULL;
}

static void test_status_and_stat(void **state)
{
    (void)state;
    pthread_barrier_t meet;
    pthread_t t;
    pthread_barrier_init(&meet, NULL, 2);
    pthread_create(&t, NULL, wait_thread, &meet);
    pthread_barrier_wait(&meet);
    read_kernel("/proc/self/status", text_a);
    assert_non_null(strstr(text_a, "\nThreads:\t2\n"));
    assert_non_null(strstr(read_guest("/proc/self/status", text_b), "\nThreads:\t1\n"));
    *strstr(text_a, "\nvoluntary_ctxt_switches:") = '\0';
    assert_non_null(strstr(text_b, strstr(text_a, "\nSigPnd:"))); /* what follows is as it was, up to the numbers that change by themselves; SigQ before it counts those of all the user's processes */
    read_guest("/proc/self/stat", text_b);
    assert_int_equal(stat_number(text_b, 20), 1);
    procfs_signal_view = view;
    read_guest("/proc/self/status", text_b);
    assert_non_null(strstr(text_b, "\nSigBlk:\t0000000000000200\nSigIgn:\t8000000000001000\nSigCgt:\t0000000000004000\n"));
    read_kernel("/proc/self/stat", text_a);
    read_guest("/proc/self/stat", text_b);
    assert_int_equal(stat_number(text_b, 32), 0x200);
    assert_int_equal(stat_number(text_b, 33), 0x1000);
    assert_int_equal(stat_number(text_b, 34), 0x4000);
    assert_int_equal(stat_number(text_b, 4), stat_number(text_a, 4));
    assert_int_equal(stat_number(text_b, 52), stat_number(text_a, 52));
    assert_int_equal(text_b[strlen(text_b) - 1], '\n');
    procfs_signal_view = NULL;
    pthread_barrier_wait(&meet);
    pthread_join(t, NULL);
}

static void test_program_link(void **state)
{
    (void)state;
    static struct boot_info boot = {.mode = BOOT_LAUNCH, .exe_off = 0, .text = "/bin/sh"};
    char buf[64], own[64];
    base_format(own, sizeof own, "/proc/%d/task/%d/exe", getpid(), gettid());
    procfs_init(&boot);
    assert_int_equal(procfs_readlink("/proc/self/exe", buf, sizeof buf), PROCFS_NOT_OURS);
    assert_null(procfs_exe_path(AT_FDCWD, "/proc/self/exe"));
    boot.mode = BOOT_INPROC;
    procfs_init(&boot);
    assert_int_equal(procfs_readlink("/proc/self/exe", buf, sizeof buf), 7);
    assert_memory_equal(buf, "/bin/sh", 7);
    assert_int_equal(procfs_readlink(own, buf, 4), 4);
    assert_int_equal(procfs_readlink(own, buf, 0), -EINVAL);
    assert_int_equal(procfs_readlink("/proc/1/exe", buf, sizeof buf), PROCFS_NOT_OURS);
    assert_int_equal(procfs_readlink("/proc/self/cwd", buf, sizeof buf), PROCFS_NOT_OURS);
    assert_string_equal(procfs_exe_path(AT_FDCWD, "/proc/self/exe"), "/bin/sh");
    assert_null(procfs_exe_path(AT_FDCWD, "/bin/ls"));
    int self = open("/proc/self", O_RDONLY);
    assert_int_equal(procfs_readlinkat(self, "exe", buf, sizeof buf), 7);
    close(self);
    struct stat sh, opened;
    int fd = procfs_open(AT_FDCWD, "/proc/self/exe", O_RDONLY);
    assert_int_equal(fstat(fd, &opened), 0);
    assert_int_equal(stat("/bin/sh", &sh), 0);
    assert_int_equal(opened.st_ino, sh.st_ino);
    close(fd);
    boot.mode = BOOT_LAUNCH;
    procfs_init(&boot);
}

static void test_host_descriptor_is_hidden(void **state)
{
    (void)state;
    int fd = os_hidden_dup(0), dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
    char path[64], buf[64];
    base_format(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(procfs_open(AT_FDCWD, path, O_RDONLY), -ENOENT);
    assert_int_equal(procfs_readlink(path, buf, sizeof buf), -ENOENT);
    base_format(path, sizeof path, "/proc/%d/fdinfo/%d", getpid(), fd);
    assert_int_equal(procfs_open(AT_FDCWD, path, O_RDONLY), -ENOENT);
    base_format(path, sizeof path, "%d", fd);
    assert_int_equal(procfs_open(dir, path, O_RDONLY), -ENOENT);
    assert_int_equal(procfs_open(AT_FDCWD, "/proc/self/fd/0", O_RDONLY), PROCFS_NOT_OURS);
    hostfd_close(fd);
    close(dir);
}

int main(void)
{
    static struct boot_info boot = {.mode = BOOT_LAUNCH};
    procfs_init(&boot);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_of_ours),    cmocka_unit_test(test_relative_paths),
        cmocka_unit_test(test_paths_of_others),  cmocka_unit_test(test_positions),
        cmocka_unit_test(test_maps_without_host), cmocka_unit_test(test_protected_pages_are_joined),
        cmocka_unit_test(test_guest_borders_stay), cmocka_unit_test(test_host_beside_guest),
        cmocka_unit_test(test_heap_name),        cmocka_unit_test(test_smaps_format),
        cmocka_unit_test(test_status_and_stat),  cmocka_unit_test(test_program_link),
        cmocka_unit_test(test_host_descriptor_is_hidden), cmocka_unit_test(test_map_changes_after_open),
        cmocka_unit_test(test_pieces),          cmocka_unit_test(test_limits),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
