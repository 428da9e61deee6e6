/* SPDX-License-Identifier: Apache-2.0
 * Linked into the engine of `make check-coverage` only. The engine does not end by libc's exit, where gcov writes what it has counted: so it is written at the engine's own ends, after all its exit functions, and
 * before an execve (--wrap in run.py), from which there is no way back. libc's fork is gcov's own matter. What a seccomp filter, or a lack of descriptors, keeps from being written is not counted. */
#include "os/os.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);
void __real_signal_before_exec(void);
void __wrap_signal_before_exec(void);
void __real__exit(int status) NORETURN;
void __wrap__exit(int status) NORETURN;

#define NEEDED_BYTES (1ul << 20)

/* Counts go on at 0, for the files have them now. Without a descriptor gcov would complain on the guest's stderr; a lack of memory ends the process, which must not be inside gcov then: it comes back here and goes. */
static void write_counts(void)
{
    static bool writing;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || __atomic_exchange_n(&writing, true, __ATOMIC_SEQ_CST))
        return;
    close(fd);
    free(malloc(NEEDED_BYTES));
    __gcov_dump();
    __gcov_reset();
    __atomic_store_n(&writing, false, __ATOMIC_SEQ_CST);
}

void __wrap_signal_before_exec(void)
{
    write_counts();
    __real_signal_before_exec();
}

void __wrap__exit(int status)
{
    write_counts();
    __real__exit(status);
}

static void at_exit(int status)
{
    (void)status;
    write_counts();
}

/* The first exit function is the last to run. */
__attribute__((constructor)) static void start(void)
{
    setenv("GCOV_ERROR_FILE", "/dev/null", 1);
    os_at_exit(at_exit);
}
