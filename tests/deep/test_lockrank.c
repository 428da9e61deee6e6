/* SPDX-License-Identifier: Apache-2.0
 * lockrank.c: each wrong order ends the process with a message that names the locks and the functions; right orders do not. Built with -DLP_LOCK_RANKS in every build
 * (tests/deep/build.mk), so that the checker itself is checked. */
#include "../unit/unit.h"

#include "arch/arch.h"
#include "os/hostlock.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hostlock process = HOSTLOCK(LOCK_PROCESS), mem = HOSTLOCK(LOCK_MEM), mem_too = HOSTLOCK(LOCK_MEM), client = HOSTLOCK(LOCK_CLIENT), nothing;
static struct hostlock class[2] = {HOSTLOCK(LOCK_HEAP_CLASS), HOSTLOCK(LOCK_HEAP_CLASS)};
static struct hostrwlock gmap = HOSTLOCK(LOCK_GMAP);

/* hostsym.c wants it of the arch layer, which is not here. */
s64 arch_raw_syscall(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
    long r = syscall((long)nr, a, b, c, d, e, f);
    return r < 0 ? -errno : r;
}

static void in_order(void)
{
    hostlock_take(&process);
    hostlock_take(&mem);
    hostrw_read(&gmap);
    hostrw_read(&gmap); /* readers may nest */
    hostlock_take(&class[0]);
    hostlock_take(&class[1]);
    hostlock_give(&process); /* in any order */
    hostlock_give(&class[0]);
    hostlock_give(&class[1]);
    hostrw_read_done(&gmap);
    hostrw_read_done(&gmap);
    hostlock_give(&mem);
    hostlock_take(&client);
    lockrank_free("nothing happens");
}

static void after_reset(void)
{
    hostlock_take(&mem);
    hostlock_reset(&mem);
    hostlock_reset(&process); /* not held */
    lockrank_free("nothing happens");
    hostlock_take(&process);
}

static void holder(struct hostlock *l) __attribute__((noinline));
static void holder(struct hostlock *l)
{
    hostlock_take(l);
}

static void out_of_order(void)
{
    holder(&mem);
    holder(&process);
}

static void twice(void)
{
    holder(&mem);
    holder(&mem);
}

static void two_of_one_rank(void)
{
    holder(&mem);
    holder(&mem_too);
}

static void classes_backwards(void)
{
    holder(&class[1]);
    holder(&class[0]);
}

static void reader_writes(void)
{
    hostrw_read(&gmap);
    hostrw_write(&gmap);
}

static void without_rank(void) { holder(&nothing); }
static void not_held(void) { hostlock_give(&mem); }

static void held_in_guest(void)
{
    holder(&mem);
    lockrank_free("the guest goes on");
}

/* How the function ends in a process of its own, and what it prints. */
static int in_child(void (*fn)(void), char *out, size_t bytes)
{
    int pipefd[2], status;
    assert_int_equal(pipe(pipefd), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(pipefd[1], STDERR_FILENO);
        fn();
        _exit(0);
    }
    close(pipefd[1]);
    size_t n = 0;
    for (ssize_t r; n < bytes - 1 && (r = read(pipefd[0], out + n, bytes - 1 - n)) > 0;)
        n += (size_t)r;
    out[n] = '\0';
    close(pipefd[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void ends_with(void (*fn)(void), const char *why)
{
    char out[8192];
    int status = in_child(fn, out, sizeof out);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(out, why));
}

static void test_right(void **state)
{
    (void)state;
    char out[8192];
    assert_int_equal(in_child(in_order, out, sizeof out), 0);
    assert_int_equal(in_child(after_reset, out, sizeof out), 0);
    assert_string_equal(out, "");
}

static void test_wrong(void **state)
{
    (void)state;
    ends_with(out_of_order, "a lock of a lower rank is taken after one of a higher rank");
    ends_with(twice, "the thread has this lock already");
    ends_with(two_of_one_rank, "two locks of one rank");
    ends_with(classes_backwards, "two locks of one rank");
    ends_with(reader_writes, "the thread has this lock already");
    ends_with(without_rank, "a lock without a rank");
    ends_with(not_held, "is given back by a thread that does not hold it");
    ends_with(held_in_guest, "the guest goes on while a lock is held");
}

static void test_names(void **state)
{
    (void)state;
    char out[8192];
    in_child(out_of_order, out, sizeof out);
    const char *holds = strstr(out, "holds mem "), *wants = strstr(out, "wants process ");
    assert_non_null(holds);
    assert_non_null(wants);
    assert_non_null(strstr(wants, "in holder"));
    assert_non_null(strstr(wants, "called from out_of_order"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_wrong), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
