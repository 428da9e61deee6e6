/* SPDX-License-Identifier: Apache-2.0
 * Probe mode's start and its callbacks (docs/design/probes.md, PB1, PB2, PB13, PB14): the tool hears of the images that
 * are there, then the program runs natively; from then on what the engine has to know of it comes from probes of its
 * own: the dynamic linker's, and the C library's functions for processes. */
#include "api/usage.h"
#include "api/probed.h"

#include "api/callback_list.h"
#include "api/callbacks.h"
#include "api/results.h"
#include "api/tool.h"
#include "arch/arch.h"
#include "base/options.h"
#include "image/elffile.h"
#include "image/image.h"
#include "jit/jit_internal.h"
#include "linchpin/callbacks.h"
#include "linchpin/enums.h"
#include "linchpin/iarg.h"
#include "linchpin/types.h"
#include "os/events.h"
#include "os/native.h"
#include "os/os.h"
#include "os/record.h"
#include "os/thread.h"
#include "vm/client.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

static struct tool_callback *inserted, *forks[3], *thread_attach, *thread_detach;
static struct tool_callback *thread_detach_told; /* of a tool that is leaving, and has none any more */

/* With -probe, whichever of the two functions will start the program. */
int PIN_IsProbeMode(void) { return os_native || options.probe; }

bool probed_has_callbacks(void)
{
    return inserted || forks[OS_FORK_BEFORE] || forks[OS_FORK_PARENT] || forks[OS_FORK_CHILD] || thread_attach ||
           thread_detach || probed_detach_has_callbacks();
}

/* --- images ------------------------------------------------------------------------------------------------------- */

static void tell_images(void)
{
    if (!image_notify_wanted())
        return;
    client_lock();
    jit_lock();
    probed_quiet = true;
    image_notify_tool();
    probed_quiet = false;
    jit_unlock();
    client_unlock();
}

/* The dynamic linker has changed its list of objects, or is about to. */
static void on_linker(void)
{
    native_rescan();
    tell_images();
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

static u64 *argument(u32 n) { return abi_guest_arg_place(&vm_tc.cpu, n); }

static void call_forks(u32 point, u32 pid)
{
    CALLBACKS_EACH(c, forks[point])
        ((FORK_PROBE_MODE_CALLBACK)c->fn)(pid, c->arg);
}

static void before_fork(void)
{
    call_forks(OS_FORK_BEFORE, 0);
    client_lock();
    native_before_fork();
    probed_forks = true;
}

static void after_fork(void)
{
    s32 pid = (s32)*abi_guest_result_place(&vm_tc.cpu);
    probed_forks = false;
    native_after_fork(pid == 0);
    client_unlock();
    probed_end_after_fork(pid == 0);
    if (pid == 0)
        probed_detach_after_fork();
    if (pid == 0)
        call_forks(OS_FORK_CHILD, 0);
    else if (pid > 0)
        call_forks(OS_FORK_PARENT, (u32)pid);
}

/* A child of vfork has the memory of the tool, whose functions would run there for both. A tool that asks for either of
 * them gets a child of fork, which its parent waits for all the same (PB13). */
static bool fork_for_vfork(void)
{
    if (!forks[OS_FORK_BEFORE] && !forks[OS_FORK_CHILD] && !forks[OS_FORK_PARENT] && !os_events.follow_child)
        return false;
    before_fork();
    s64 pid = native_fork_and_wait();
    *abi_guest_result_place(&vm_tc.cpu) = (u64)pid;
    after_fork();
    return pid >= 0; /* otherwise vfork itself says why */
}

/* The program's unwinder asks for the frame of a call that a probe has made. */
static bool answer_unwinder(void)
{
    u64 fde = probe_frame_of(*argument(0) + 1, (u64 *)*argument(1));
    if (fde)
        *abi_guest_result_place(&vm_tc.cpu) = fde;
    return fde != 0;
}

static const struct probed_own of_linker = {.name = "the probe of the dynamic linker", .before = on_linker};
static const struct probed_own of_unwinder = {.name = "_Unwind_Find_FDE", .answers = answer_unwinder};
/* _Fork is fork without the program's own handlers, which fork calls; older libraries do not have it. */
static const struct probed_own of_library[] = {{.name = "_Fork", .before = before_fork, .after = after_fork},
    {.name = "fork", .before = before_fork, .after = after_fork}, {.name = "vfork", .replaces = fork_for_vfork}};

static u32 named(u32 image, const char *name)
{
    image_lock();
    struct image *im = image_get(image);
    struct rtn *r = im && image_rtns(im) ? rtn_named(im, name) : NULL;
    u32 id = r ? r->id : 0;
    image_unlock();
    return id;
}

/* A C library, or a static program, has what starts a program. */
static void place_own(u32 image)
{
    u32 rtn;
    bool is_library = named(image, "__libc_start_main") != 0;
    for (u32 i = 0; i < ARRAY_LEN(of_library) && is_library; i++)
        if ((rtn = named(image, of_library[i].name))) {
            probed_own_place(rtn, &of_library[i]);
            i += of_library[i].after && i == 0; /* no second one inside */
        }
    for (const struct probed_own *own = probed_ends; own->name && is_library; own++)
        if ((probed_watches_end || own->always) && (rtn = named(image, own->name)))
            probed_own_place(rtn, own);
    u32 linker = named(image, "_dl_debug_state"), unwinder = named(image, of_unwinder.name);
    if (unwinder)
        probed_own_place(unwinder, &of_unwinder);
    if (linker)
        probed_own_place(linker, &of_linker);
    probed_end_image(image, is_library);
}

/* After the tool's own functions for the image. */
static void image_loaded(u32 image, void *arg)
{
    (void)arg;
    place_own(image);
    CALLBACKS_EACH(c, inserted)
        ((PROBES_INSERTED_CALLBACK)c->fn)((IMG){(INT32)image}, c->arg);
}

static void image_unloaded(u32 image, void *arg)
{
    (void)arg;
    image_lock();
    const struct image *im = image_get(image);
    if (im)
        probe_forget(im->low, im->high);
    probed_forget_image(image);
    image_unlock();
}

/* --- start and end ------------------------------------------------------------------------------------------------ */

/* A thread that ends the process while the tool leaves it waits for that, unless it holds it up itself. */
static void at_exit(int status)
{
    if (!probed_claim_end()) {
        if (!client_held())
            probed_await_end();
        return;
    }
    tool_mend_streams();
    callbacks_prepare_fini();
    results_end(status);
    callbacks_fini(status);
    fflush(NULL);
    if (!native_alone())
        return;
    probed_over = true;
    tool_destroy();
}

void probed_begin(void)
{
    tool_callback_reorder(tool_callback_add(&image_load_callbacks, (void *)image_loaded, NULL), CALL_ORDER_LAST);
    tool_callback_reorder(tool_callback_add(&image_unload_callbacks, (void *)image_unloaded, NULL), CALL_ORDER_LAST);
}

void probed_keep_detach(void) { thread_detach_told = thread_detach; }

void probed_tell_thread(bool attach)
{
    u64 mask[16] = {attach ? arch_native_mask() : 0}; /* as large as libc's set */
    client_lock();
    for (struct tool_callback *c = attach ? thread_attach : thread_detach_told; c; c = c->next)
        if (attach)
            ((THREAD_ATTACH_PROBED_CALLBACK)c->fn)(mask, c->arg);
        else
            ((THREAD_DETACH_PROBED_CALLBACK)c->fn)(c->arg);
    client_unlock();
    if (attach)
        arch_native_set_mask(mask[0]); /* the tool may change it */
}

/* On each thread of a program that was attached to. None comes to a probe before the tool has heard of all. */
static void run(void)
{
    arch_native_set_mask(vm_tc.os.guest_mask);
    probed_tell_thread(true);
    vm_tc.os.guest_mask = arch_native_mask();
    adopt_told();
    native_start();
}

VOID PIN_StartProgramProbed(void)
{
    tool_begin_program("PIN_StartProgramProbed");
    usage_not_narrow(__func__);
    if (callbacks_of_jit())
        api_misuse(__func__, NULL, 0, "JIT mode callback can be used only with PIN_StartProgram: the program's "
                   "threads are not told of in probe mode (PIN_AddThreadAttachProbedFunction has those of an attach)");
    symbols_wanted = true; /* the engine's own probes need them, whatever the tool does */
    if (os_record)
        die(1, "a program is neither recorded nor replayed in probe mode");
    probe_init();
    native_init();
    os_at_exit(at_exit);
    results_before_exec();
    if (adopt_count())
        results_init();
    else
        results_by_errand();
    os_events.run = run;
    probed_end_init();
    fflush(NULL);
    os_release_guest();
    probed_begin();
    probed_detach_init();
    tool_start_images();
    tell_images();
    callbacks_start();
    tool_stderr_to_program();
    fflush(NULL);
    if (adopt_count()) {
        probed_watch_signals(true);
        adopt_threads();
    }
    probed_watch_signals(true);
    probed_take_errands();
    native_start();
}

/* --- callbacks ---------------------------------------------------------------------------------------------------- */

PIN_CALLBACK PIN_AddProbesInsertedFunction(PROBES_INSERTED_CALLBACK fun, VOID *v)
{
    return (PIN_CALLBACK)tool_callback_add(&inserted, (void *)fun, v);
}

PIN_CALLBACK PIN_AddThreadAttachProbedFunction(THREAD_ATTACH_PROBED_CALLBACK fun, VOID *v)
{
    return (PIN_CALLBACK)tool_callback_add(&thread_attach, (void *)fun, v);
}

PIN_CALLBACK PIN_AddThreadDetachProbedFunction(THREAD_DETACH_PROBED_CALLBACK fun, VOID *v)
{
    return (PIN_CALLBACK)tool_callback_add(&thread_detach, (void *)fun, v);
}

PIN_CALLBACK PIN_AddForkFunctionProbed(FPOINT point, FORK_PROBE_MODE_CALLBACK fun, VOID *v)
{
    static const int by_point[] = {[FPOINT_BEFORE] = OS_FORK_BEFORE, [FPOINT_AFTER_IN_PARENT] = OS_FORK_PARENT,
        [FPOINT_AFTER_IN_CHILD] = OS_FORK_CHILD};
    if (point < FPOINT_BEFORE || point > FPOINT_AFTER_IN_CHILD)
        api_misuse(__func__, NULL, 0, "%d is not an FPOINT", (int)point);
    return (PIN_CALLBACK)tool_callback_add(&forks[by_point[point]], (void *)fun, v);
}
