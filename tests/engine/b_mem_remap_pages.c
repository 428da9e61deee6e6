// SPDX-License-Identifier: Apache-2.0
// remap_file_pages maps anew: other pages of the file, and executable ones where reading implies it.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>

enum { PAGE = 4096 };
static sigjmp_buf out;

static void on_segv(int sig)
{
    (void)sig;
    siglongjmp(out, 1);
}

static int call(unsigned char *code)
{
    return sigsetjmp(out, 1) ? -1 : ((int (*)(void))(uintptr_t)code)();
}

static void put_code(unsigned char *at, unsigned char value)
{
    memcpy(at, (unsigned char[]) { 0xb8, value, 0, 0, 0, 0xc3 }, 6); /* mov $value,%eax; ret */
}

int main(void)
{
    int fd = memfd_create("code", 0), was = personality(0xffffffff);
    CHECK(fd >= 0 && ftruncate(fd, 4 * PAGE) == 0);
    unsigned char *p = mmap(0, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED);
    signal(SIGSEGV, on_segv);
    for (int i = 0; i < 4; i++)
        put_code(p + i * PAGE, (unsigned char)(10 + i));
    CHECK(syscall(SYS_remap_file_pages, p, PAGE, 0, 2, 0) == 0);
    say("data: page %d, called %d\n", p[1], call(p));
    CHECK(personality(was | READ_IMPLIES_EXEC) >= 0);
    say("not yet mapped anew: called %d\n", call(p));
    CHECK(syscall(SYS_remap_file_pages, p, PAGE, 0, 3, 0) == 0);
    say("mapped anew: page %d, called %d, the next %d\n", p[1], call(p), call(p + PAGE));
    CHECK(syscall(SYS_remap_file_pages, p, PAGE, 0, 1, 0) == 0);
    say("again: page %d, called %d\n", p[1], call(p));
    return 0;
}
