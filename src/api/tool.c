/* SPDX-License-Identifier: Apache-2.0
 * The tool's life: opened with dlopen, its main called with the whole command line (A1), the guest started from
 * PIN_StartProgram, fini functions at the end of the process. Runs on the first thread until the guest starts. */
#include "api/tool.h"

#include "api/appdebug.h"
#include "api/callbacks.h"
#include "api/info.h"
#include "api/probed.h"
#include "api/progress.h"
#include "api/reached.h"
#include "api/spoil.h"
#include "api/reattach.h"
#include "api/results.h"
#include "api/toolsource.h"
#include "api/try.h"
#include "api/usage.h"
#include "arch/arch.h"
#include "base/options.h"
#include "api/rtn_insert.h"
#include "api/valid.h"
#include "debug/debugger.h"
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
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_WORDS 65536
#define ABI_VERSION 1u
#define ABI_IA32 0x10000u

/* The dynamic linker's own; weak, so that it is not copied into this program. */
extern void *__libc_stack_end __attribute__((weak));

static bool started;
static struct link_map *loaded; /* the tool; NULL: it has been destroyed */

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

static void check_kind(u32 abi)
{
    u32 version = abi & ~ABI_IA32;
    if (version > ABI_VERSION)
        die(1, "the tool %s was built for a later Linchpin (ABI %u, this one has %u)", options.tool, version,
            ABI_VERSION);
    if (abi == version)
        return;
    if (!arch_narrow)
        die(1, "the tool %s was built for IA-32 programs (-m32), and this is a 64-bit one: build it without -m32, or "
            "name a tool for each kind of program by -t32 and -t64", options.tool);
    arch_use_narrow_tool();
}

/* The guest's own argv, from its stack at the first instruction. */
static int guest_words(char **out, int room)
{
    if (adopt_count())
        return running_words(out, room);
    const u64 *sp = (const u64 *)arch_sp(&vm_tc.cpu);
    const u32 *narrow = (const u32 *)sp;
    int n = (int)sp[0] < room ? (int)sp[0] : room;
    for (int i = 0; i < n; i++)
        out[i] = (char *)(arch_narrow ? narrow[1 + i] : sp[1 + i]);
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
static struct kept {
    struct os_stream as;
    FILE *f;
} kept[2];

static void keep_stream(struct kept *k, FILE *f)
{
    k->f = f;
    os_stream_note(&k->as, fileno(f));
    int fd = os_hidden_dup(fileno(f));
    if (fd >= 0)
        f->_fileno = fd;
}

void tool_mend_streams(void)
{
    for (struct kept *k = kept; k < kept + ARRAY_LEN(kept); k++) {
        if (!k->f || !k->as.ino || os_stream_is(&k->as, fileno(k->f)))
            continue;
        bool close_after;
        int fd = os_stream_find(&k->as, &close_after);
        k->f->_fileno = fd < 0 ? -1 : os_hidden_dup(fd);
        if (close_after)
            close(fd);
    }
}

static int program_stderr = -1; /* -1: stderr is the program's already */

/* At an attach, what the tool says until the program goes on is for the terminal that asked. */
static void stderr_to_attacher(void)
{
    int fd = adopt_count() && msg_fd >= 0 ? os_hidden_dup(msg_fd) : -1;
    if (fd < 0)
        return;
    program_stderr = fileno(stderr);
    stderr->_fileno = fd;
}

void tool_stderr_to_program(void)
{
    if (program_stderr < 0)
        return;
    fflush(stderr);
    close(stderr->_fileno);
    stderr->_fileno = program_stderr;
    program_stderr = -1;
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

/* Unless the engine has its own handler there by now. */
static void unwatch_abort(void)
{
    struct sigaction now;
    if (!sigaction(SIGABRT, NULL, &now) && now.sa_handler == say_aborted)
        sigaction(SIGABRT, &program_abort, NULL);
}

/* Objects of assembly without a note about the stack make the linker ask for an executable one. */
static bool wants_executable_stack(const char *path)
{
    Elf64_Ehdr e;
    Elf64_Phdr p;
    bool wants = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && pread(fd, &e, sizeof e, 0) == sizeof e && e.e_phentsize == sizeof p)
        for (u32 i = 0; i < e.e_phnum && pread(fd, &p, sizeof p, (off_t)(e.e_phoff + i * sizeof p)) == sizeof p; i++)
            wants |= p.p_type == PT_GNU_STACK && p.p_flags & PF_X;
    if (fd >= 0)
        close(fd);
    return wants;
}

/* It is read-only once the process has started. Returns what was there. */
static void *set_stack_end(void **place, void *end)
{
    void *page = (void *)((u64)place & ~(PAGE_BYTES - 1ul)), *was = *place;
    if (mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE))
        return was;
    *place = end;
    mprotect(page, PAGE_BYTES, PROT_READ);
    return was;
}

/* For such a tool the dynamic linker makes the page executable in which the first thread's stack begins, and refuses
 * where that does not grow down, as no stack of the engine does. Here it gets a page that will do; nothing is executed
 * on stacks. */
static void *open_tool(const char *path)
{
    int how = RTLD_NOW | RTLD_LOCAL | (options.tool_load_option ? RTLD_DEEPBIND : 0); /* there is only one option */
    void **place = &__libc_stack_end;
    if (!place || !wants_executable_stack(path))
        return dlopen(path, how);
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
    if (page == MAP_FAILED)
        die(1, "out of memory for the tool: %m");
    void *end = set_stack_end(place, page);
    void *tool = dlopen(path, how);
    set_stack_end(place, end);
    munmap(page, PAGE_BYTES);
    return tool;
}

int tool_run(void)
{
    os_events.thread_ends = vm_events.thread_ends = tool_thread_end;
    vm_events.thread_starts = tool_thread_start;
    os_events.tool_threads_gone = internal_threads_after_fork;
    opt_events.thread_data = PIN_GetThreadData;
    rtn_insert_init();
    keep_stream(&kept[0], stdout);
    keep_stream(&kept[1], stderr);
    stderr_to_attacher();
    os_redirect_host_calls(); /* before the tool's constructors */
    /* Opened by its path, because a bare name would be looked up in the library path. */
    char path[4096];
    if (!realpath(options.tool, path))
        die(1, "the tool %s cannot be found: %m", options.tool);
    info_start(path);
    try_init();
    watch_abort();
    void *tool = open_tool(path);
    if (!tool)
        die(1, "the tool %s cannot be loaded: %s", options.tool, dlerror());
    int (*tool_main)(int, char **) = (int (*)(int, char **))dlsym(tool, "main");
    if (!tool_main)
        die(1, "the tool %s has no main; build it with `linchpin cc`", options.tool);
    try_tool_loaded((void *)tool_main);
    loaded = tool;
    toolsource_init(PIN_ToolFullPath(), loaded->l_addr);
    argcheck_init();
    jit_events.resolve = valid_resolve;
    const u32 *abi = dlsym(tool, "lp_abi_version");
    check_kind(abi ? *abi : ABI_VERSION);
    if (options.api_calls)
        reached_watch(tool, path, options.api_calls);
    if (options.api_spoil)
        spoil_start(tool, options.api_spoil);
    os_redirect_host_calls();
    hostmem_rescan();
    os_pause(options.pause_tool);
    char **word = calloc(MAX_WORDS, sizeof *word);
    if (!word)
        die(1, "no memory for the tool's command line");
    int status = tool_main(command_line(word), word);
    fflush(NULL);
    if (usage_told())
        exit(status);
    if (status || !image_any_opened())
        usage_not_started(status, (void *)tool_main);
    return status;
}

void __cxa_finalize(void *dso);

/* Runs DT_FINI_ARRAY and DT_FINI, as the loader does when it unloads. Not while a thread of the tool's runs, which may
 * use the objects. */
void tool_destroy(void)
{
    fflush(NULL);
    if (internal_threads_live())
        return;
    void (**array)(void) = NULL, (*last)(void) = NULL;
    void *own = loaded ? loaded->l_ld : NULL; /* what a tool is known by that was linked with Pin's makefiles */
    size_t n = 0;
    for (const ElfW(Dyn) *d = loaded ? loaded->l_ld : NULL; d && d->d_tag != DT_NULL; d++) {
        array = d->d_tag == DT_FINI_ARRAY ? (void (**)(void))(loaded->l_addr + d->d_un.d_ptr) : array;
        last = d->d_tag == DT_FINI ? (void (*)(void))(loaded->l_addr + d->d_un.d_ptr) : last;
        n = d->d_tag == DT_FINI_ARRAYSZ ? d->d_un.d_val / sizeof *array : n;
    }
    loaded = NULL; /* once */
    while (n--)
        array[n]();
    if (last)
        last();
    if (own)
        __cxa_finalize(own);
    fflush(NULL);
}

/* The tool hears the end of each image while it is still there. */
static void unload_images(void)
{
    client_lock();
    jit_lock();
    image_unload_all();
    jit_unlock();
    client_unlock();
}

static void at_exit(int status)
{
    pause_leave_guest();
    os_tool_ends(true);
    if (detach_instead_of_end()) {
        fflush(NULL);
        os_tool_ends(false);
        return;
    }
    callbacks_prepare_fini();
    bool alone = tool_other_threads_end(status);
    tool_thread_end(status);
    if (image_unload_callbacks)
        unload_images();
    results_end(status);
    callbacks_fini(status);
    fflush(NULL);
    if (alone)
        tool_destroy();
    os_tool_ends(false);
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

void tool_start_images(void)
{
    image_start(&(struct image_origin){guest_auxv(AT_ENTRY), guest_auxv(AT_BASE), guest_auxv(AT_SYSINFO_EHDR)});
}

static void start_images(void)
{
    tool_start_images();
    os_events.mappings_changed = tell_images;
    tell_images();
}

void tool_begin_program(const char *call)
{
    if (started)
        die(1, "%s: the program runs already", call);
    usage_need_init(call);
    started = true;
    unwatch_abort();
}

void PIN_StartProgram(struct lp_configuration *info)
{
    if (options.probe)
        PIN_StartProgramProbed();
    tool_begin_program("PIN_StartProgram");
    if (probed_has_callbacks())
        api_misuse(__func__, NULL, 0, "Probe mode callback can be used only with PIN_StartProgramProbed");
    if (info_allows_concurrent(info, PIN_CALLBACK_TYPE_SYSCALL))
        syscalls_allow_concurrent();
    os_at_exit(at_exit);
    forks_init();
    if (progress_wanted())
        progress_init();
    detach_init();
    results_init();
    fflush(NULL);
    callbacks_watch();
    os_release_guest();
    codecache_start();
    start_images();
    callbacks_start();
    appdebug_program_starts();
    debug_start();
    tool_stderr_to_program();
    vm_start();
}

int PIN_Init(int argc, char **argv)
{
    (void)argc, (void)argv;
    usage_init_done();
    return 0;
}

int PIN_IsAttaching(void) { return adopt_count() != 0 || reattach_comes(); }
