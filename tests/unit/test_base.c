/* SPDX-License-Identifier: Apache-2.0
 * base.c: formatting, messages, and the ways a process ends; and that the waits of host code keep errno. */
#include "unit.h"

#include "os/hostlock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The same format through printf and through base_format. */
#define SAME(...) \
    do { \
        char want[256], got[256]; \
        int n = snprintf(want, sizeof want, __VA_ARGS__), m = base_format(got, sizeof got, __VA_ARGS__); \
        assert_string_equal(got, want); \
        assert_int_equal(m, n); \
    } while (0)

static void test_numbers(void **state)
{
    (void)state;
    SAME("%d %d %d", 0, 1, -1);
    SAME("%d %d", INT32_MAX, INT32_MIN);
    SAME("%u %x", UINT32_MAX, UINT32_MAX);
    SAME("%ld %ld", INT64_MAX, INT64_MIN);
    SAME("%lu %lx %zu", UINT64_MAX, UINT64_MAX, SIZE_MAX);
    SAME("%08lx-%08lx", 0x400000ul, 0x7ffff7ff0000ul);
    SAME("%5d|%5u|%05d|%5x|%02x:%02x", 42, 42, 42, 0x2a, 1, 0x1fd);
    SAME("%p", (void *)0x1234);
    errno = ENOENT;
    SAME("%m and %s", "more");
    SAME("%5d|%12lu", -42, 7ul);
}

static void test_text(void **state)
{
    (void)state;
    SAME("%s", "");
    SAME("%s and %s", "this", "that");
    SAME("[%8s] [%-8s] [%2s]", "right", "left", "longer");
    SAME("%c%c%%", 'a', 'b');
    SAME("no arguments");
    char got[16];
    const char *volatile none = NULL;
    base_format(got, sizeof got, "%s", none);
    assert_string_equal(got, "(null)");
}

static void test_cut(void **state)
{
    (void)state;
    char buf[8];
    memset(buf, '#', sizeof buf);
    assert_int_equal(base_format(buf, 6, "%s %d", "abcdef", 123), 5);
    assert_string_equal(buf, "abcde");
    assert_int_equal(buf[6], '#');
    assert_int_equal(base_format(buf, 1, "%lu", 12345ul), 0);
    assert_string_equal(buf, "");
}

static void test_macros(void **state)
{
    (void)state;
    assert_int_equal(PAGE_DOWN(0x1fff), 0x1000);
    assert_int_equal(PAGE_UP(0x1001), 0x2000);
    assert_int_equal(PAGE_UP(0x1000), 0x1000);
    int a[7];
    assert_int_equal(ARRAY_LEN(a), 7);
}

/* Runs `act` in a child with messages into a pipe; what it wrote, and its wait status. */
static int in_child(void (*act)(void), char *out, size_t bytes)
{
    int p[2], status;
    assert_int_equal(pipe(p), 0);
    pid_t child = fork();
    if (child == 0) {
        msg_fd = p[1];
        act();
        _exit(0);
    }
    close(p[1]);
    size_t n = 0;
    ssize_t got;
    while ((got = read(p[0], out + n, bytes - 1 - n)) > 0)
        n += (size_t)got;
    out[n] = '\0';
    close(p[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void say(void)
{
    errno = EDOM;
    msg("value %d of %s", 7, "x");
    if (errno != EDOM)
        _exit(99);
}

static void end_badly(void)
{
    die(126, "cannot execute %s", "that");
}

static void hook(void)
{
    msg("hook ran");
}

static void break_rule(void)
{
    bug_hook = hook;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    signal(SIGABRT, SIG_IGN);
    ASSERT(1 + 1 == 3);
}

static void test_messages(void **state)
{
    (void)state;
    char out[1024];
    assert_int_equal(in_child(say, out, sizeof out), 0);
    assert_string_equal(out, "linchpin: value 7 of x\n");
    int status = in_child(end_badly, out, sizeof out);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 126);
    assert_string_equal(out, "linchpin: cannot execute that\n");
}

static void test_bug_dies_by_sigabrt(void **state)
{
    (void)state;
    char out[1024];
    int status = in_child(break_rule, out, sizeof out);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(out, "internal error at "));
    assert_non_null(strstr(out, "assertion failed: 1 + 1 == 3\n"));
    assert_non_null(strstr(out, "linchpin: hook ran\n"));
}

static void test_waits_keep_errno(void **state)
{
    (void)state;
    u32 word = 1;
    errno = EDOM;
    hostlock_futex(&word, FUTEX_WAIT, 0); /* EAGAIN */
    hostlock_futex_1ms(&word, 0);
    hostlock_futex_1ms(&word, 1); /* ETIMEDOUT */
    assert_int_equal(errno, EDOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_text),     cmocka_unit_test(test_cut),
        cmocka_unit_test(test_macros),  cmocka_unit_test(test_messages), cmocka_unit_test(test_bug_dies_by_sigabrt),
        cmocka_unit_test(test_waits_keep_errno),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
