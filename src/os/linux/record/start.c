/* SPDX-License-Identifier: Apache-2.0
 * Where a recording and a replay begin and end: the state in which the program starts, and its end. Runs on the first
 * thread, before the guest. */
#include "os/linux/record/record.h"

#include "arch/arch.h"
#include "base/options.h"
#include "decode.h"
#include "os/events.h"
#include "os/gmap.h"
#include "os/hostmem.h"
#include "os/linux/clone.h"
#include "os/linux/os_init.h"
#include "os/linux/sys.h"
#include "os/os.h"
#include "os/thread.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_CHECK 4096 /* ticks */

struct os_stream record_stdout, record_stderr;

/* --- recording ---------------------------------------------------------------------------------------------------- */

/* What the vdso gives is no system call, and depends on memory that the kernel writes: the program is not told of
 * it, and makes system calls in its place. */
static void hide_vdso(void)
{
    Elf64_auxv_t *a = (Elf64_auxv_t *)os_guest_auxv();
    for (; a && a->a_type != AT_NULL; a++)
        if (a->a_type == AT_SYSINFO_EHDR)
            a->a_type = AT_IGNORE;
}

static void put_start(void)
{
    struct record_start *s = calloc(1, sizeof *s);
    if (!s)
        hostmem_die("the start of a recording");
    s->regs = os_boot->regs;
    s->sigmask = os_boot->sigmask;
    s->xstate_bytes = os_boot->xstate_bytes;
    s->brk = os_boot->brk;
    s->guest_entry = os_boot->guest_entry;
    s->guest_auxv = os_boot->guest_auxv;
    s->guest_auxv_bytes = os_boot->guest_auxv_bytes;
    memcpy(s->act, vm_tc.os.sigs->act, sizeof s->act);
    base_format(s->program, sizeof s->program, "%s", os_program_path());
    memcpy(s->xstate, os_boot->xstate, sizeof s->xstate);
    record_log_put(REC_START, 0, arch_pc(&vm_tc.cpu), 0, s, sizeof *s);
    free(s);
}

static void end(int status)
{
    struct record_end e = {.why = END_EXIT, .status = (u64)(s64)status};
    if (os_record != OS_RECORDS || vm_tc.os.vfork_child)
        return;
    record_log_put(REC_END, record_ticks(), arch_pc(&vm_tc.cpu), 0, &e, sizeof e);
    record_log_finish();
    os_record = OS_RECORD_OFF;
}

/* So that somebody who looks for a program finds its recording. */
static void note_program(const char *folder)
{
    char list[PATH_MAX], line[2 * PATH_MAX];
    base_format(list, sizeof list, "%s/programs", options.record);
    int n = base_format(line, sizeof line, "%s\t%s\n", folder, os_program_path());
    int fd = open(list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, line, (size_t)n) < 0)
        msg("record: %s cannot be written: %s", list, strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* Where this program's recording goes: one that another program has executed (-follow_execv) has a folder of its own in
 * the first one's. NULL: that cannot be made. */
static const char *own_folder(void)
{
    static char path[PATH_MAX];
    if (!options.generation)
        return options.record;
    int n = base_format(path, sizeof path, "%s/%d.%u", options.record, getpid(), options.generation);
    for (u32 again = 2; mkdir(path, 0777); again++) { /* numbers of processes come again */
        if (errno != EEXIST) {
            msg("record: %s cannot be made: %s; %s runs, and is not recorded", path, strerror(errno),
                os_program_path());
            return NULL;
        }
        base_format(path + n, sizeof path - (size_t)n, ".%u", again);
    }
    note_program(path + strlen(options.record) + 1);
    return path;
}

static void begin_recording(void)
{
    const char *folder = own_folder();
    if (!folder)
        return;
    os_at_exit(end);
    os_stream_note(&record_stdout, 1);
    os_stream_note(&record_stderr, 2);
    hide_vdso();
    record_log_create(folder);
    put_start();
    record_areas();
    record_log_put(REC_GO, 0, arch_pc(&vm_tc.cpu), 0, NULL, 0);
    os_record = OS_RECORDS;
    record_tick_at(FIRST_CHECK);
}

/* --- replaying ---------------------------------------------------------------------------------------------------- */

static void take_start(const struct event *e)
{
    struct boot_info *boot = (struct boot_info *)os_boot;
    const struct record_start *s = (const struct record_start *)e->body;
    if (e->type != REC_START || e->bytes != sizeof *s)
        die(1, "replay: %s does not begin with the program's state", record_log_where());
    boot->regs = s->regs;
    boot->sigmask = s->sigmask;
    boot->xstate_bytes = s->xstate_bytes;
    boot->brk = s->brk;
    boot->guest_entry = s->guest_entry;
    boot->guest_auxv = s->guest_auxv;
    boot->guest_auxv_bytes = s->guest_auxv_bytes;
    memcpy(boot->xstate, s->xstate, sizeof boot->xstate);
    replay_set_brk(s->brk);
    os_recorded_program = strndup(s->program, sizeof s->program);
    boot_load_state(&vm_tc.cpu, boot);
    vm_tc.os.guest_mask = s->sigmask;
    memcpy(vm_tc.os.sigs->act, s->act, sizeof s->act);
    record_log_next();
}

/* What is there is the launcher's, which the engine was put into. */
static void unmap_all(void)
{
    struct gmap_area a;
    for (u64 at = 0; gmap_next(at, &a); at = a.end) {
        if (a.start < 1ul << 47)
            arch_raw_syscall(SYS_munmap, a.start, a.end - a.start, 0, 0, 0, 0);
        gmap_remove(a.start, a.end);
    }
}

static void begin_replay(void)
{
    const struct event *e;
    record_log_open(options.replay);
    take_start(replay_peek());
    unmap_all();
    while ((e = replay_peek())->type == REC_AREA)
        replay_area(e);
    if (e->type != REC_GO)
        die(1, "replay: %s does not have all of the program's memory", record_log_where());
    record_log_next();
    os_record = OS_REPLAYS;
    record_event_done();
}

void os_record_begin(void)
{
    if (!options.record && !options.replay)
        return;
    if (os_boot->mode == BOOT_ATTACH || options.probe ||
        (options.record && (options.appdebug || options.appdebug_enable)))
        die(1, "a program is neither recorded nor replayed from an attach or in probe mode, nor recorded under a "
               "debugger");
    options.no_dead |= options.record || !options.tool;
    decode_chance_emulated();
    os_signal_watch(0); /* those that would end the process, too */
    if (options.replay) {
        begin_replay();
        return;
    }
    begin_recording();
}
