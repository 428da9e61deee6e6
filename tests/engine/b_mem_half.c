// SPDX-License-Identifier: Apache-2.0
// Memory calls that fail half way: what came before the place where they failed is done. Pages with code and without; what can be read, written and executed afterwards, and what the code says.
#include "b_check.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096ul
#define RWX (PROT_READ | PROT_WRITE | PROT_EXEC)
#define PAGES 5
#define HOLE 3 /* this one is not mapped */

static uint8_t *const base = (uint8_t *)0x200000000000;
static sigjmp_buf out;

static void on_fault(int sig)
{
    siglongjmp(out, sig);
}

static int can_read(uint8_t *p) { return sigsetjmp(out, 1) ? 0 : (*(volatile uint8_t *)(p + 2048), 1); }
static int can_write(uint8_t *p) { return sigsetjmp(out, 1) ? 0 : (*(volatile uint8_t *)(p + 2048) = 1, 1); }

/* What the code on the page returns, -signal where it cannot run. */
static int call(uint8_t *p)
{
    int sig = sigsetjmp(out, 1);
    return sig ? -sig : ((int (*)(void))(uintptr_t)p)();
}

static void put(uint8_t *p, int value)
{
    memcpy(p, "\xb8\0\0\0\0\xc3", 6); /* mov $value, %eax; ret */
    memcpy(p + 1, &value, sizeof value);
}

static void show(const char *what, long result)
{
    int error = errno;
    say("%s: %ld", what, result == (long)base ? 0 : result);
    if (result == -1)
        say(" errno %d", error);
    for (int i = 0; i < PAGES; i++)
        say(" | %c%c %d", can_read(base + i * PAGE) ? 'r' : '-', can_write(base + i * PAGE) ? 'w' : '-', call(base + i * PAGE));
    say("\n");
}

/* All pages but HOLE, with code that has run. */
static void fresh(int prot)
{
    munmap(base, PAGES * PAGE);
    for (int i = 0; i < PAGES; i++)
        if (i != HOLE) {
            CHECK(mmap(base + i * PAGE, PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == base + i * PAGE);
            put(base + i * PAGE, 10 + i);
            CHECK(call(base + i * PAGE) == 10 + i);
            CHECK(mprotect(base + i * PAGE, PAGE, prot) == 0);
        }
}

static void rewrite(int first)
{
    for (int i = 0; i < HOLE; i++)
        if (!sigsetjmp(out, 1))
            put(base + i * PAGE, first + i);
}

static void protections(void)
{
    fresh(RWX);
    show("nothing yet", 0);
    show("mprotect r", mprotect(base, PAGES * PAGE, PROT_READ));
    show("mprotect rx", mprotect(base, PAGES * PAGE, PROT_READ | PROT_EXEC));
    show("mprotect rwx", mprotect(base, PAGES * PAGE, RWX));
    rewrite(20);
    show("code written", 0);
    show("mprotect none", mprotect(base + PAGE, (PAGES - 1) * PAGE, PROT_NONE));
    show("mprotect rx again", mprotect(base + PAGE, (PAGES - 1) * PAGE, PROT_READ | PROT_EXEC));
    fresh(PROT_READ | PROT_EXEC);
    show("mprotect rwx, of rx", mprotect(base, PAGES * PAGE, RWX));
    rewrite(30);
    show("code written", 0);
    rewrite(40);
    show("code written again", 0);
    show("mprotect into the hole", mprotect(base + HOLE * PAGE, 2 * PAGE, PROT_READ));
    show("mprotect, growsdown", mprotect(base, PAGES * PAGE, PROT_READ | PROT_GROWSDOWN));
}

/* The third page is a shared mapping of a file that may only be read: it cannot become writable. */
static void refused(void)
{
    int rw = memfd_create("file", 0);
    char path[64];
    uint8_t code[PAGE];
    put(code, 50);
    CHECK(write(rw, code, PAGE) == PAGE);
    snprintf(path, sizeof path, "/proc/self/fd/%d", rw);
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0);
    fresh(PROT_READ | PROT_EXEC);
    CHECK(mmap(base + 2 * PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0) == base + 2 * PAGE);
    show("a file in the middle", 0);
    show("mprotect rwx", mprotect(base, PAGES * PAGE, RWX));
    rewrite(60);
    show("code written", 0);
    close(fd);
    close(rw);
}

static void advice(void)
{
    int fd = memfd_create("file", 0);
    uint8_t code[PAGE];
    put(code, 70);
    CHECK(write(fd, code, PAGE) == PAGE);
    fresh(RWX);
    for (int i = 0; i < PAGES; i++)
        if (i != HOLE) {
            CHECK(mmap(base + i * PAGE, PAGE, RWX, MAP_PRIVATE | MAP_FIXED, fd, 0) == base + i * PAGE);
            put(base + i * PAGE, 80 + i);
        }
    show("files, changed", 0);
    show("madvise, dontneed", madvise(base, PAGES * PAGE, MADV_DONTNEED));
    rewrite(90);
    show("code written", 0);
    CHECK_ERR(mlock(base, PAGES * PAGE), ENOMEM);
    show("madvise of locked pages", madvise(base, PAGES * PAGE, MADV_DONTNEED));
    CHECK_ERR(munlock(base, PAGES * PAGE), ENOMEM);
    show("madvise of pages no longer locked", madvise(base, PAGES * PAGE, MADV_DONTNEED));
    close(fd);
}

static void moves(void)
{
    uint8_t *old = base + 16 * PAGE;
    fresh(RWX);
    CHECK(mmap(old, PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == old);
    put(old, 100);
    CHECK(call(old) == 100);
    show("mremap of a hole and more", (long)mremap(base + 2 * PAGE, 3 * PAGE, 4 * PAGE, MREMAP_MAYMOVE));
    show("mremap over code, of a hole", (long)mremap(old, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, base));
    fresh(RWX);
    show("mremap over code, of nothing", (long)mremap(old + 8 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, base + PAGE));
    fresh(RWX);
    show("munmap over the hole", munmap(base + PAGE, 3 * PAGE));
    say("what was moved: %d\n", call(old));
    munmap(old, PAGE);
}

/* The kernel takes away what was there before it finds out that there are no pages of that size, or gives it back: as it does natively. */
static void huge(void)
{
    int fd = memfd_create("huge", MFD_HUGETLB);
    fresh(RWX);
    void *p = fd < 0 ? MAP_FAILED : mmap(base, 1ul << 30, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
    show("mmap of more large pages than there are", (long)p);
    show("mmap of a file that cannot be mapped", (long)mmap(base, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, 0, 0));
    if (fd >= 0)
        close(fd);
}

int main(void)
{
    struct sigaction sa = {.sa_handler = on_fault};
    sigaction(SIGSEGV, &sa, NULL);
    sigaction(SIGBUS, &sa, NULL);
    protections();
    refused();
    advice();
    moves();
    huge();
    return 0;
}
