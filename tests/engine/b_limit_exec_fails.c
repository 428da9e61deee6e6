// SPDX-License-Identifier: Apache-2.0
// An execve that fails in a process that has lowered its hard limits, and may not raise them again: whatever the reason, the process goes on as before, and so does the
// engine.
#include "b_limit.h"
#include <linux/capability.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { FUNCTIONS = 4096, STEP = 256 };
static char *const words[] = { "program", 0 };

static void drop_privileges(void)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[2] = { { 0 } };
    CHECK(syscall(SYS_capset, &head, none) == 0);
}

static int file_with(const char *name, const char *text)
{
    int fd = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0700);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (long)strlen(text));
    close(fd);
    return open(name, O_RDONLY | O_CLOEXEC);
}

static void try(const char *what, int dir, const char *path, const void *argv, int flags)
{
    long r = syscall(SYS_execveat, dir, path, argv, 0, flags);
    say("%s: %ld %d\n", what, r, errno);
}

/* Then the engine cannot know what becomes of a file without a format (docs/limits.md). */
static bool has_handlers(void)
{
    return access("/proc/sys/fs/binfmt_misc/status", F_OK) == 0;
}

/* New code, and a look at /proc: the engine needs memory for both. */
static unsigned run_new_code(unsigned char *code)
{
    unsigned long all, data;
    unsigned sum = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        for (unsigned at = 0; at < 200; at += 2)
            memcpy(code + i * STEP + at, "\x66\x90", 2);
        memcpy(code + i * STEP + 200, (unsigned char[]) { 0xb8, i, i >> 8, 0, 0, 0xc3 }, 6);
    }
    for (unsigned i = 0; i < FUNCTIONS; i++)
        sum += ((unsigned (*)(void))(code + i * STEP))();
    limit_sums(&all, &data);
    return sum;
}

int main(void)
{
    unsigned char *code = limit_map(FUNCTIONS * STEP / PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE);
    const void *wild[] = { "program", (void *)16, 0 };
    int memory = memfd_create("m", MFD_CLOEXEC), dir = open(".", O_RDONLY | O_DIRECTORY);
    int plain = file_with("plain", "exit 3\n"), lost = file_with("lost", "#!/no/such/interpreter\n");
    CHECK(code != MAP_FAILED && memory >= 0 && fchmod(memory, 0700) == 0 && ftruncate(memory, 4096) == 0 && symlink("plain", "link") == 0);
    drop_privileges();
    struct rlimit r = { 512, 512 };
    CHECK(setrlimit(RLIMIT_DATA, &r) == 0);
    try("no name", dir, "", words, 0);
    try("no such file", dir, "none", words, 0);
    try("a folder", dir, "", words, AT_EMPTY_PATH);
    if (!has_handlers()) {
        try("no format", dir, "plain", words, 0);
        try("no format by descriptor", plain, "", words, AT_EMPTY_PATH);
        try("no format and no name", memory, "", words, AT_EMPTY_PATH);
    }
    try("no interpreter", lost, "", words, AT_EMPTY_PATH);
    try("a link", dir, "link", words, AT_SYMLINK_NOFOLLOW);
    try("no words", dir, "/bin/true", (void *)16, 0);
    try("a wild word", dir, "/bin/true", wild, 0);
    try("a closed descriptor", 999, "plain", words, 0);
    say("sum %u\n", run_new_code(code));
    limit_show("data", RLIMIT_DATA);
    return 0;
}
