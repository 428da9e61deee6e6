/* SPDX-License-Identifier: Apache-2.0
 * The tool's life: opened with dlopen, its main called with the whole command line (A1), the guest started from
 * PIN_StartProgram, fini functions at the end of the process. Runs on the first thread until the guest starts. */
#include "api/tool.h"

#include "api/callbacks.h"
#include "api/info.h"
#include "api/reached.h"
#include "api/try.h"
#include "arch/arch.h"
#include "base/options.h"
#include "api/rtn_insert.h"
#include "api/valid.h"
#include "jit/events.h"
#include "image/image.h"
#include "linchpin/enums.h"
#include "jit/jit_internal.h"
#include "opt/events.h"
#include "os/os.h"
#include "os/hostmem.h"
#include "os/events.h"
#include "vm/events.h"
#include "vm/pause.h"
#include "vm/stop.h"
#include "os/thread.h"
#include "vm/vm.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORDS 65536
#define ABI_VERSION 1u

static bool started;

#define CMDLINE_BYTES (128ul << 10)

/* The command line of a program that was attached to, as the kernel shows it. The text is read once and stays. */
static int running_words(char **out, int room)
{
    char *text = calloc(1, CMDLINE_BYTES);
    if (!text)
        die(1, "no memory for the tool's command line");
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC), n = 0;
    ssize_t bytes = fd < 0 ? 0 : read(fd, text, CMDLINE_BYTES - 1);
    if (fd >= 0)
        close(fd);
    for (ssize_t at = 0; at < bytes && n < room; at += (ssize_t)strlen(text + at) + 1)
        out[n++] = text + at;
    return n;
}

/* The guest's own argv, from its stack at the first instruction. */
static int guest_words(char **out, int room)
{
    if (adopt_count())
        return running_words(out, room);
    u64 *sp = (u64 *)arch_sp(&vm_tc.cpu);
    int n = (int)sp[0] < room ? (int)sp[0] : room;
    for (int i = 0; i < n; i++)
        out[i] = (char *)sp[1 + i];
    return n;
}

static int command_line(char **word)
{
    int n = 0;
    word[n++] = "linchpin";
    word[n++] = "-t";
    word[n++] = (char *)options.tool;
    for (int i = 0; i < options.tool_argc; i++)
        word[n++] = (char *)options.tool_argv[i];
    word[n++] = "--";
    return n + guest_words(word + n, MAX_WORDS - n - 1);
}

/* The guest may close or redirect its own 0 to 2: the tool's streams get descriptors of their own. */
static void keep_stream(FILE *f)
{
    int fd = os_hidden_dup(fileno(f));
    if (fd >= 0)
        f->_fileno = fd;
}

static struct sigaction program_abort; /* what the program has for SIGABRT */

static void say_aborted(int sig)
{
    (void)sig;
    msg("the tool %s has aborted before the program was started", options.tool);
}

/* libc's abort ends the process when the handler returns. */
static void watch_abort(void)
{
    struct sigaction act = {.sa_handler = say_aborted};
    sigaction(SIGABRT, &act, &program_abort);
}

static void unwatch_abort(void) { sigaction(SIGABRT, &program_abort, NULL); }

int tool_run(void)
{
    os_events.thread_ends = vm_events.thread_ends = tool_thread_end;
    vm_events.thread_starts = tool_thread_start;
    os_events.tool_threads_gone = internal_threads_after_fork;
    opt_events.thread_data = PIN_GetThreadData;
    rtn_insert_init();
    keep_stream(stdout);
    keep_stream(stderr);
    os_redirect_host_calls(); /* before the tool's constructors */
    /* Opened by its path, because a bare name would be looked up in the library path. */
    char path[4096];
    if (!realpath(options.tool, path))
        die(1, "the tool %s cannot be found: %m", options.tool);
    info_start(path);
    try_init();
    watch_abort();
    void *tool = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!tool)
        die(1, "the tool %s cannot be loaded: %s", options.tool, dlerror());
    int (*tool_main)(int, char **) = (int (*)(int, char **))dlsym(tool, "main");
    if (!tool_main)
        die(1, "the tool %s has no main; build it with `linchpin cc`", options.tool);
    try_tool_loaded((void *)tool_main);
    jit_events.resolve = valid_resolve;
    const u32 *abi = dlsym(tool, "lp_abi_version");
    if (abi && *abi > ABI_VERSION)
        die(1, "the tool %s was built for a later Linchpin (ABI %u, this one has %u)", options.tool, *abi, ABI_VERSION);
    if (options.api_calls)
        reached_watch(tool, path, options.api_calls);
    os_redirect_host_calls();
    hostmem_rescan();
    char **word = calloc(MAX_WORDS, sizeof *word);
    if (!word)
        die(1, "no memory for the tool's command line");
    int status = tool_main(command_line(word), word);
    fflush(NULL);
    if (status || !image_any_opened())
        msg("the tool %s has ended with status %d before it has started the program (PIN_StartProgram)", options.tool,
            status);
    return status;
}

static void at_exit(int status)
{
    pause_leave_guest();
    if (os_dies_by_signal) { /* no fini functions, as with Pin; the context change function has heard of it */
        fflush(NULL);
        return;
    }
    callbacks_prepare_fini();
    tool_other_threads_end(status);
    tool_thread_end(status);
    callbacks_fini(status);
    fflush(NULL);
}

/* As the kernel has given it to the program, on its stack. */
u64 PIN_GetAuxVectorValue(u64 tag, bool *found)
{
    const u64 *p = os_guest_auxv();
    while (p && p[0] && p[0] != tag)
        p += 2;
    bool has = p && p[0] == tag;
    if (found)
        *found = has;
    return has ? p[1] : 0;
}

static u64 guest_auxv(u64 tag) { return PIN_GetAuxVectorValue(tag, NULL); }

/* The tool hears of images that came or went, before the guest goes on. */
static void tell_images(void)
{
    if (LIKELY(!image_notify_wanted()))
        return;
    client_lock();
    jit_lock();
    image_notify_tool();
    jit_unlock();
    client_unlock();
}

static void start_images(void)
{
    image_start(&(struct image_origin){guest_auxv(AT_ENTRY), guest_auxv(AT_BASE), guest_auxv(AT_SYSINFO_EHDR)});
    os_events.mappings_changed = tell_images;
    tell_images();
}

void PIN_StartProgram(struct lp_configuration *info)
{
    if (started)
        die(1, "PIN_StartProgram: the program runs already");
    started = true;
    if (info_allows_concurrent(info, PIN_CALLBACK_TYPE_SYSCALL))
        syscalls_allow_concurrent();
    os_at_exit(at_exit);
    forks_init();
    detach_init();
    fflush(NULL);
    unwatch_abort();
    os_release_guest();
    codecache_start();
    callbacks_start();
    start_images();
    vm_start();
}

int PIN_Init(int argc, char **argv)
{
    (void)argc, (void)argv;
    return 0;
}

int PIN_IsProbeMode(void) { return 0; }
int PIN_IsAttaching(void) { return adopt_count() != 0; }
