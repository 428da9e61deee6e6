/* SPDX-License-Identifier: Apache-2.0
 * Brings up the OS layer in the order in which its parts need each other, and holds what the way in has told. Runs
 * once, on the first thread. */
#include "os/linux/os_init.h"

#include "arch/arch.h"
#include "base/options.h"
#include "os/gmap.h"
#include "os/native.h"
#include "os/record.h"
#include "os/linux/hostfd.h"
#include "os/linux/hostheap.h"
#include "os/linux/hostmalloc.h"
#include "os/hostmem.h"
#include "os/linux/limits.h"
#include "os/linux/procfs.h"
#include "os/linux/reserve.h"
#include "os/linux/signal.h"
#include "os/linux/sys.h"
#include "os/linux/clone.h"

#include <sys/mman.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

const struct boot_info *os_boot;

static const struct boot_info *find_boot(void)
{
    const struct boot_info *boot = (const struct boot_info *)getauxval(AT_LINCHPIN);
    if (!boot)
        die(1, "the engine is not a program to be started by itself: use the linchpin command");
    if (boot->magic != BOOT_MAGIC || boot->bytes != sizeof *boot)
        die(1, "launcher and engine do not belong together (boot block of %u bytes, %lu expected)", boot->bytes,
            sizeof *boot);
    return boot;
}

const char *os_program_path(void)
{
    return os_boot->text + os_boot->exe_off;
}

const char *os_launcher_path(void)
{
    return os_boot->text + os_boot->launcher_off;
}

static void load_options(const struct boot_info *boot)
{
    const char **words = calloc(boot->argc + 1, sizeof *words);
    if (!words)
        hostmem_die("the options");
    const char *at = boot->text;
    for (u32 i = 0; i < boot->argc; i++, at += strlen(at) + 1)
        words[i] = at;
    options_load((int)boot->argc, words);
    hostheap_set_limit(options.pin_memory_size);
    struct addresses in = options.pin_memory_range;
    hostmem_ranges_named = in.end || options.cc_memory_range.end;
    if (in.end) {
        hostmem_confine(in.start, in.end);
        hostmalloc_confined();
    }
}

/* A descriptor of the host's is held only when there will be something to say: one that nobody holds need not be
 * hidden. */
static void open_messages(void)
{
    static char path[PATH_MAX + 16];
    log_level = options.log_level;
    error_file = options.error_file;
    error_file_unique = options.unique_error_file;
    pin_log = options.pin_log;
    if (!options.logfile && options.log_inline)
        options.logfile = pin_log; /* as Pin does; NULL: standard error has it */
    if (options.logfile)
        base_format(path, sizeof path, options.unique_logfile ? "%s.%d" : "%s", options.logfile, getpid());
    error_log = options.logfile && pin_log ? path : NULL;
    if (options.logfile)
        hostfd_open_log(path);
    else
        hostfd_init(options.tool || options.appdebug || options.appdebug_enable || options.stats ||
                    options.log_level > 0);
}

static int program_msg_fd;

/* Until the tool is up, messages go to the launcher that attaches. */
static void messages_to_attacher(const struct boot_info *boot)
{
    char path[32];
    base_format(path, sizeof path, "/proc/%d/fd/2", boot->attacher);
    program_msg_fd = msg_fd;
    int fd = options.logfile ? -1 : open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0)
        msg_fd = fd;
}

void os_messages_to_program(void)
{
    if (msg_fd != program_msg_fd)
        close(msg_fd);
    msg_fd = program_msg_fd;
    if (os_native)
        hostfd_find_messages();
}

static void log_start(const struct boot_info *boot)
{
    static const char *const how[] = {[BOOT_LAUNCH] = "put in by ptrace", [BOOT_INPROC] = "loaded without ptrace",
        [BOOT_ATTACH] = "attached"};
    u64 start, end = 0;
    log_at(1, "version %s, %s, process %d: %s", LP_VERSION, how[boot->mode], getpid(), os_program_path());
    while (hostmem_next(end, &start, &end))
        log_at(1, "host memory %lx-%lx", start, end);
    for (u32 i = 0; i < options.nignored; i++)
        log_at(1, "option %s means nothing here: it is ignored", options.ignored[i]);
}

/* Of a program with words of 4 bytes, a copy. */
static const u64 *widened_auxv(void)
{
    static u64 word[256];
    const u32 *from = (const u32 *)os_boot->guest_auxv;
    u64 n = os_boot->guest_auxv_bytes / sizeof *from;
    for (u64 i = 0; i < n && i < ARRAY_LEN(word) - 2; i++)
        word[i] = from[i];
    return word;
}

const u64 *os_guest_auxv(void) { return arch_narrow ? widened_auxv() : (const u64 *)os_boot->guest_auxv; }

#pragma weak os_record_begin /* not every architecture has a recorder */
void os_init(void)
{
    const struct boot_info *boot = os_boot = find_boot();
    hostmem_init(boot);
    load_options(boot);
    open_messages();
    gmap_init();
    limits_init(boot);
    procfs_init(boot);
    sys_init(boot->mode == BOOT_INPROC);
    mem_init(boot->brk);
    if (options.follow_execv)
        ptrace_init();
    thread_init_first(boot->mode != BOOT_ATTACH);
    if (boot->mode == BOOT_ATTACH) { /* the calling thread is none of the guest's */
        messages_to_attacher(boot);
        arch_set_pc(&vm_tc.cpu, boot->guest_entry); /* code of the cache will be needed near there */
        signal_init_attached();
        hosttask_note(vm_tc.os.tid);
    } else {
        boot_load_state(&vm_tc.cpu, boot);
        signal_init(boot->sigmask);
    }
    log_start(boot);
    if (os_record_begin)
        os_record_begin();
    os_pause(options.pause);
}

/* Scripts read it from the program's standard output; a log has it, too. */
static void say_pause(const char *text)
{
    char line[128];
    int n = base_format(line, sizeof line, "%s\n", text);
    if (write(STDOUT_FILENO, line, (size_t)n) < 0 || options.logfile)
        msg("%s", text);
}

void os_pause(u32 seconds)
{
    struct timespec left = {.tv_sec = seconds};
    char text[96];
    if (!seconds)
        return;
    base_format(text, sizeof text, "Pausing for %u seconds to attach to process with pid %d", seconds, getpid());
    say_pause(text);
    base_format(text, sizeof text, "To attach gdb use: gdb -p %d", getpid());
    say_pause(text);
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
    say_pause("Resuming");
}

static void unmap(u64 start, u64 end)
{
    if (start < end && munmap((void *)start, end - start) < 0)
        BUG("cannot unmap the placeholder at %lx: error %d", start, errno);
}

/* A program that is replayed has its memory already, perhaps there. */
static void unmap_around_guest(u64 start, u64 end)
{
    struct gmap_area a;
    for (; start < end && gmap_next(start, &a) && a.start < end; start = a.end)
        unmap(start, a.start);
    unmap(start, end);
}

void os_release_guest(void)
{
    u64 start, end;
    bool replays = os_record == OS_REPLAYS;
    if (replays && hostmem_placeholder(&start, &end))
        unmap_around_guest(start, end);
    hostmem_drop_placeholder(!replays);
    for (u32 i = 0; i < os_boot->nholes; i++) {
        const struct boot_range *hole = &os_boot->hole[i];
        if (replays) {
            unmap_around_guest(hole->start, hole->end);
            continue;
        }
        unmap(hole->start, hole->end);
        gmap_remove(hole->start, hole->end);
    }
    if (options.reserve_memory)
        reserve_ranges(options.reserve_memory);
}
