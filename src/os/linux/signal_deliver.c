/* SPDX-License-Identifier: Apache-2.0
 * The engine's handler (one for all signals) and the delivery to the guest (E13). The handler runs on the thread's
 * engine-owned signal stack with all asynchronous signals blocked; it only moves state and decides where the
 * interrupted code goes on, it never looks at the guest's actions. Delivery runs in the dispatcher, in host code,
 * and builds the guest's frame. Invariants: signal_private.h. */
#include "os/linux/signal_private.h"

#include "base/options.h"
#include "os/linux/agent.h"
#include "os/linux/overdue.h"
#include "os/linux/rseq.h"
#include "os/fault.h"
#include "os/events.h"
#include "os/linux/sys.h"
#include "os/os.h"
#include "os/record.h"

#include <errno.h>
#include <string.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif
#define SECCOMP_TRAP 1 /* si_code of SIGSYS */
#define TRAP_STEP 2    /* si_code of SIGTRAP: single step */
#define OPCODE_POPF 0x9d

/* In the entry routine (vm_enter_begin to vm_enter_end) the guest's state is whole in vm_tc.cpu at every pc (E3). */

/* --- what waits -------------------------------------------------------------------------------------------- */
/* Fills the slot, and closes the interrupted code's mask with it (S1). */
static void put_slot(struct sigframe *f, const siginfo_t *info)
{
    if (UNLIKELY(!info->si_signo)) {
        signal_set_attention(); /* a request to stop: nothing to deliver */
    } else if (LIKELY(!signal_slot_full())) {
        __atomic_and_fetch(&vm_tc.os.late_pending, ~SIG_BIT(info->si_signo), __ATOMIC_RELAXED);
        vm_tc.os.pending_info = *info;
        signal_set_attention();
    } else { /* host code has opened the mask without our knowledge */
        signal_requeue(info);
    }
    f->mask = signal_waiting_mask(f->mask);
    __atomic_store_n(&vm_tc.os.kernel_mask, f->mask, __ATOMIC_RELAXED);
}

/* True: the signal is of the synchronous class, but somebody has sent it. */
static bool is_sent_sync(const siginfo_t *info)
{
    return signal_is_sync(info->si_signo) && info->si_code <= 0;
}

/* True: the kernel had several signals, and has made the frame of this one on top of that of an earlier one, which
 * has to be handled first. */
static bool is_stacked(const struct sigframe *f)
{
    return f->greg[GREG_IP] == (u64)signal_handler;
}

/* S5. True: the signal cannot be delivered now and is back in the kernel's queue; the interrupted code goes on. */
static bool put_back(struct sigframe *f, siginfo_t *info)
{
    if (LIKELY(!is_sent_sync(info))) /* this includes a request to stop, which is no signal for the guest */
        return false;
    u64 bit = SIG_BIT(info->si_signo);
    if (!signal_slot_full() && !is_stacked(f) && !(vm_tc.os.guest_mask & bit))
        return false;
    f->mask |= bit;
    signal_keep_back(bit); /* our handler runs with this signal open */
    signal_requeue(info);
    if (LIKELY(!os_events.pause_wanted()))
        return true;
    info->si_signo = 0; /* the signal of a request to stop may have been the same, and merged with this one */
    return false;
}

/* --- the handler ------------------------------------------------------------------------------------------- */
static void resume_in_vm(struct sigframe *f)
{
    sigframe_redirect(f, (u64)vm_resume, vm_tc.cpu.host_sp);
}

static bool is_page_write(const struct sigframe *f, const siginfo_t *info)
{
    return info->si_signo == SIGSEGV && info->si_code == SEGV_ACCERR && sigframe_is_write_fault(f);
}

/* Was it a write to a page that the engine protects (E16)? Then the page is writable now. */
static bool is_own_fault(const struct sigframe *f, const siginfo_t *info)
{
    return is_page_write(f, info) && os_events.write_fault((u64)info->si_addr, NULL);
}

/* The same for a write by host code, perhaps the tool's, which may have locks that those wait for who have the
 * translator's. What is left to do is done before the thread enters the cache, to which it goes by way of the VM. A
 * routine that was inlined has no locks. */
static bool is_own_host_fault(const struct sigframe *f, const siginfo_t *info)
{
    bool later = false, inlined = os_events.in_cache(f->greg[GREG_IP]);
    if (!is_page_write(f, info) || !os_events.write_fault((u64)info->si_addr, inlined ? NULL : &later))
        return false;
    if (later && vm_tc.os.sigs)
        signal_set_attention();
    return true;
}

/* Where si_addr is the address of the instruction, the guest must see that of its own instruction, not a cache
 * address. */
static void fix_fault_address(siginfo_t *info)
{
    if (info->si_code != SI_KERNEL && info->si_signo != SIGSEGV && info->si_signo != SIGBUS)
        info->si_addr = (void *)arch_pc(&vm_tc.cpu);
}

/* A guest that single-steps itself has its trap flag on also while its state is loaded and saved, and in the cache
 * one of its instructions may be several. A trap counts when the guest's pc has moved since the last one, or when
 * the instruction there has counted on (a loop of one instruction, REP). The first trap after popf comes one
 * instruction later. The state is worked out in a copy, because the cache code may have to go on. */
static bool is_step(const siginfo_t *info)
{
    return info->si_signo == SIGTRAP && info->si_code == TRAP_STEP;
}

static bool step_counts(const struct sigframe *f)
{
    struct cpu_state c = vm_tc.cpu;
    u64 tls = arch_tls_base(), last = vm_tc.os.step_pc, last_count = vm_tc.os.step_count;
    u8 before = 0;
    sigframe_capture(&c, &vm_tc.os, f);
    os_events.recover(&c);
    arch_set_tls_base(tls);
    u64 pc = arch_pc(&c);
    vm_tc.os.step_pc = pc;
    vm_tc.os.step_count = arch_step_count(&c);
    bool after_popf = guest_read(&before, pc - 1, 1) && before == OPCODE_POPF && last != pc - 1 && last != pc - 2;
    return (pc != last || vm_tc.os.step_count != last_count) && !after_popf && !arch_step_shadow(last, pc);
}

/* The engine steps the rest of a guest instruction whose analysis calls were interrupted by a signal
 * (EXIT_KIND_STEP). True: this trap is one of these steps, and the stepping goes on, or has come to the next
 * boundary. */
static bool engine_step(struct sigframe *f, const siginfo_t *info)
{
    if (!is_step(info) || !vm_tc.os.completing)
        return false;
    u64 pc = f->greg[GREG_IP];
    if (pc == vm_tc.cpu.enter || !os_events.place_is(pc, PLACE_BOUNDARY)) {
        sigframe_note_status(&vm_tc.cpu, f);
        sigframe_set_step(f); /* a popf in the middle of it may have ended the stepping */
        return true;
    }
    sigframe_capture(&vm_tc.cpu, &vm_tc.os, f);
    arch_settle_counts(pc, SETTLE_SIGNAL);
    os_events.recover(&vm_tc.cpu);
    if (is_step(&vm_tc.os.pending_info)) /* it waited (last_step_waits), and its address is known only now */
        fix_fault_address(&vm_tc.os.pending_info);
    resume_in_vm(f);
    return true;
}

/* The analysis calls are done and their instruction is not, and they are not to run twice. True: the interrupted
 * code goes back to the look of the bridge, which leaves for the VM (EXIT_KIND_STEP). */
static bool look_again(struct sigframe *f)
{
    struct arch_undo undo;
    u64 sp;
    if (!arch_bridge_again(&f->greg[GREG_IP], &sp, &undo))
        return false;
    for (u32 i = 0; i < undo.n; i++)
        sigframe_set_gpr(f, undo.reg[i], undo.value[i]);
    f->greg[GREG_SP] = sp;
    return true;
}

/* The instruction is half done: the CPU steps to its end (engine_step). */
static void step_out(struct sigframe *f)
{
    vm_tc.os.completing = true;
    vm_tc.cpu.enter = 0;
    sigframe_note_status(&vm_tc.cpu, f);
    sigframe_set_step(f);
}

extern const char __executable_start[];

/* The engine's own bug, or the tool's, whose handlers come first. A write of the tool's to a page that the engine
 * protects (E16) is neither. */
static void host_fault(struct sigframe *f, const siginfo_t *info)
{
    struct os_host_fault fault = {.sig = info->si_signo, .pc = f->greg[GREG_IP], .sp = f->greg[GREG_SP]};
    if (is_own_host_fault(f, info) || sigframe_allow_unaligned(&vm_tc.os, f, SIG_ASYNC))
        return;
    fault_classify(&fault.info, info, sigframe_trap(f), sigframe_error(f), fault.pc);
    if (os_events.host_fault && os_events.host_fault(f, &fault))
        return;
    BUG("signal %d code %d in host code at pc 0x%lx (linchpin-vm + 0x%lx), address 0x%lx, sp 0x%lx; thread %d, guest "
        "pc 0x%lx, last dispatched 0x%lx",
        info->si_signo, info->si_code, fault.pc, fault.pc - (u64)__executable_start, (u64)info->si_addr, fault.sp,
        vm_tc.os.tid, arch_pc(&vm_tc.cpu), vm_tc.jit.last_pc);
}

/* True: this is the guest's own trap and the last one, because a popf that was translated to several instructions
 * has turned stepping off in their middle. The trap waits for the last of these instructions. */
static bool last_step_waits(struct sigframe *f, const siginfo_t *info)
{
    if (LIKELY(!is_step(info)) || sigframe_is_stepping(f) || !os_events.place_is(f->greg[GREG_IP], PLACE_COMMIT))
        return false;
    sigframe_capture_fault(&vm_tc.os, f);
    put_slot(f, info);
    step_out(f);
    return true;
}

static void from_cache(struct sigframe *f, siginfo_t *info)
{
    if (engine_step(f, info) || last_step_waits(f, info))
        return;
    if (signal_is_fault(info) && UNLIKELY(os_events.place_is(f->greg[GREG_IP], PLACE_INLINED)) && !is_step(info)) {
        host_fault(f, info);
        return;
    }
    if (put_back(f, info) ||
        (UNLIKELY(is_step(info)) && (os_events.place_is(f->greg[GREG_IP], PLACE_COMMIT) || !step_counts(f))))
        return;
    if (!signal_is_fault(info) && os_events.place_is(f->greg[GREG_IP], PLACE_COMMIT)) {
        put_slot(f, info);
        step_out(f);
        return;
    }
    if (signal_is_fault(info) && UNLIKELY(os_events.place_is(f->greg[GREG_IP], PLACE_CALLS_DONE)) &&
        is_own_fault(f, info)) {
        /* Calls after the instruction leave for the VM themselves: they turn stepping off and on, and the step after
         * that comes one instruction late. */
        signal_set_attention();
        /* The instruction's calls are not to run twice; what it writes may be the code after it. */
        step_out(f);
        return;
    }
    if (!signal_is_fault(info) && look_again(f)) {
        put_slot(f, info);
        return;
    }
    if (UNLIKELY(vm_tc.os.completing))
        sigframe_capture_undone(&vm_tc.cpu, &vm_tc.os, f);
    else
        sigframe_capture(&vm_tc.cpu, &vm_tc.os, f);
    bool call_made = os_events.in_gate(f->greg[GREG_IP]);
    /* While completing: the signal that waits goes first, and the instruction will fault again. */
    bool again = !signal_is_fault(info) || is_own_fault(f, info) || vm_tc.os.completing;
    if (signal_is_fault(info) && sigframe_is_general_fault(f) && arch_is_stack_fault(&vm_tc.cpu))
        sigframe_make_stack_fault(f, info);
    arch_settle_counts(f->greg[GREG_IP], again ? SETTLE_SIGNAL : SETTLE_FAULT);
    os_events.recover(&vm_tc.cpu);
    vm_tc.jit.resume = NULL;
    if (!signal_is_fault(info)) {
        put_slot(f, info);
        if (call_made && info->si_signo && (s64)*arch_syscall_word(&vm_tc.cpu, WORD_RESULT) == -EINTR &&
            signal_only_for_tool(info->si_signo))
            arch_restart_syscall(&vm_tc.cpu, *arch_syscall_word(&vm_tc.cpu, WORD_IN_GATE));
    } else if (!again) {
        sigframe_capture_fault(&vm_tc.os, f);
        fix_fault_address(info);
        put_slot(f, info);
    }
    resume_in_vm(f);
}

static void from_entry(struct sigframe *f, siginfo_t *info)
{
    if (is_step(info)) {
        vm_tc.os.step_pc = arch_pc(&vm_tc.cpu);
        vm_tc.os.step_count = arch_step_count(&vm_tc.cpu);
        return;
    }
    if (signal_is_fault(info)) {
        host_fault(f, info);
        return;
    }
    if (put_back(f, info))
        return;
    put_slot(f, info);
    resume_in_vm(f);
}

static void from_host(struct sigframe *f, siginfo_t *info)
{
    if (is_step(info)) {
        if (vm_tc.os.completing && os_events.in_region(f->greg[GREG_IP]))
            sigframe_set_step(f); /* a popf has ended the stepping, and the calls after it come next */
        return;
    }
    if (signal_is_fault(info)) {
        host_fault(f, info);
        return;
    }
    if (put_back(f, info))
        return;
    put_slot(f, info);
    if (!look_again(f) && info->si_signo && !arch_land(&f->greg[GREG_IP], LANDING_GATE) && !vm_tc.os.in_syscall)
        overdue_wait_begins();
}

/* The kernel has taken the thread out of a section's translation (RS4). What the signal says of registers does not
 * matter: the guest's state is in the context, as at the last entry of the cache. */
static void from_section(struct sigframe *f, siginfo_t *info)
{
    bool fault = signal_is_fault(info), landed = fault && (u64)info->si_addr == f->greg[GREG_IP],
         unfinished = options.wx && fault && os_events.in_region((u64)info->si_addr);
    if (fault && !landed && !unfinished && !(is_step(info) && vm_tc.os.completing) && !is_own_fault(f, info)) {
        sigframe_capture_fault(&vm_tc.os, f);
        fix_fault_address(info);
        put_slot(f, info);
    } else if (!fault && !put_back(f, info)) {
        put_slot(f, info);
    }
    arch_set_tls_base(vm_tc.os.section_tls);
    vm_tc.jit.resume = NULL;
    resume_in_vm(f);
}

/* Takes the thread out of the cache as a signal does, with nothing to deliver. A thread that is not the guest's is
 * poked at a detach, and ends here. */
static void poked(struct sigframe *f)
{
    u64 pc = f->greg[GREG_IP];
    if (!vm_tc.os.sigs && os_detaching)
        agent_halt_for_good();
    if (!vm_tc.os.sigs || vm_tc.os.completing)
        return;
    signal_set_attention();
    if (os_events.in_cache(pc) && os_events.place_is(pc, PLACE_COMMIT)) {
        step_out(f);
    } else if (os_events.in_cache(pc) && !look_again(f)) {
        sigframe_capture(&vm_tc.cpu, &vm_tc.os, f);
        arch_settle_counts(pc, SETTLE_SIGNAL);
        os_events.recover(&vm_tc.cpu);
        vm_tc.jit.resume = NULL;
        resume_in_vm(f);
    } else if (pc >= (u64)vm_enter_begin && pc < (u64)vm_enter_end) {
        resume_in_vm(f);
    } else if (!os_events.in_cache(pc) && !look_again(f)) {
        arch_land(&f->greg[GREG_IP], LANDING_GATE);
    }
}

/* True: the fault was in os_safe_copy, which ends there; copy_fault of the thread says why. */
static bool copy_fault(struct sigframe *f, const siginfo_t *info)
{
    u64 pc = f->greg[GREG_IP];
    if (LIKELY(!arch_land(&f->greg[GREG_IP], LANDING_COPY)))
        return false;
    if (is_own_host_fault(f, info))
        f->greg[GREG_IP] = pc; /* again */
    else
        fault_classify(&vm_tc.os.copy_fault, info, sigframe_trap(f), sigframe_error(f), pc);
    return true;
}

/* Takes a request to stop (os_interrupt_thread): from here on it is a signal without a number. */
static bool take_stop_request(siginfo_t *info)
{
    vm_tc.os.stop_signal = 0;
    if (info->si_code > 0 || !signal_is_stop(info))
        return false;
    info->si_signo = 0;
    return true;
}

/* With -wx: the code was being written when the thread came to it, and can be executed now. Signals are blocked while
 * the thread waits, because nobody looks for what the slot has before it is back in the cache; sigreturn unblocks
 * them. */
static bool code_fault(const struct sigframe *f, const siginfo_t *info)
{
    u64 from = f->greg[GREG_IP], at = (u64)info->si_addr; /* in the next page, if the instruction goes on there */
    if (LIKELY(!options.wx) || info->si_signo != SIGSEGV || info->si_code != SEGV_ACCERR || at - from >= PAGE_BYTES ||
        !os_events.in_region(from) || !os_events.in_region(at) || sigframe_is_write_fault(f))
        return false;
    u64 mask = vm_tc.os.kernel_mask;
    signal_block_all();
    os_events.wait_for_code();
    vm_tc.os.kernel_mask = mask;
    return true;
}

/* The tool's code does not know of the guest's alignment checks, and those of its calls that save little run with the
 * guest's flags: an instruction that such a check stops is stepped without. True: the step was for that only. */
static bool aligned_again(struct sigframe *f, const siginfo_t *info)
{
    bool stepped = is_step(info);
    sigframe_align_again(&vm_tc.os, f);
    return stepped && !sigframe_is_stepping(f);
}

/* Somebody has sent the process a signal in which a recording is replayed. */
static void signal_of_replay(int sig)
{
    if (!(SIG_BIT(sig) & (SIG_DEFAULT_IGNORED | SIG_DEFAULT_STOP)))
        os_die_by_signal(sig);
}

void signal_handler(int sig, siginfo_t *info, void *ucontext)
{
    struct sigframe *f = sigframe_of(ucontext);
    sigframe_enter_handler(f);
    if (UNLIKELY(vm_tc.os.unaligned_flags) && aligned_again(f, info))
        return;
    u64 pc = f->greg[GREG_IP];
    if (UNLIKELY(pc == (u64)arch_trap_after) && sig == SIGTRAP)
        return; /* the tracer has gone meanwhile: a detach was given up */
    if (signal_is_fault(info) && !is_step(info) &&
        (sigframe_is_probe(f) || code_fault(f, info) || copy_fault(f, info) || arch_bridge_fault(&f->greg[GREG_IP])))
        return;
    if (UNLIKELY(signal_is_poke(info))) {
        poked(f);
        return;
    }
    if (UNLIKELY(sig == POKE_SIGNAL) && overdue_signal(f, info))
        return;
    if (UNLIKELY(os_record == OS_REPLAYS) && !signal_is_fault(info) && !signal_is_stop(info)) {
        signal_of_replay(sig); /* the program's signals come from the recording */
        return;
    }
    if (UNLIKELY(sig == vm_tc.os.stop_signal) && take_stop_request(info) &&
        (vm_tc.os.in_syscall || vm_tc.os.completing || signal_attention()))
        return; /* the thread is on its way to the dispatcher, and will see the request there */
    if (UNLIKELY(!vm_tc.os.sigs)) {
        if (signal_is_fault(info))
            host_fault(f, info);
        else
            signal_from_other_thread(f, info);
    } else if (os_events.in_cache(pc)) {
        from_cache(f, info);
    } else if (pc >= (u64)vm_enter_begin && pc < (u64)vm_enter_end) {
        from_entry(f, info);
    } else if (UNLIKELY(rseq_lands(pc))) {
        from_section(f, info);
    } else {
        from_host(f, info);
    }
}

/* --- delivery ---------------------------------------------------------------------------------------------- */
/* The guest's action. With SA_RESETHAND it becomes the default one. */
static struct sig_action take_action(int sig)
{
    struct sig_table *t = vm_tc.os.sigs;
    hostlock_take(&t->lock);
    struct sig_action act = t->act[sig];
    if ((act.flags & SA_RESETHAND) && HANDLER_IS_CODE(act.handler))
        t->act[sig].handler = HANDLER_DEFAULT;
    hostlock_give(&t->lock);
    return act;
}

/* The action has become the default one since the signal came, or it is of the synchronous class, whose default the
 * kernel cannot carry out. */
static void take_default(const siginfo_t *info)
{
    if (signal_is_sync(info->si_signo)) {
        if (signal_kills())
            signal_die(info);
    } else if (signal_is_watched(info->si_signo) || signal_core_mask & SIG_BIT(info->si_signo)) {
        signal_tool_default(info);
    } else {
        signal_requeue(info);
    }
}

/* Sets the mask under which the handler runs, as the kernel's signal_delivered does. */
static void enter_handler_mask(int sig, const struct sig_action *act)
{
    struct os_thread *os = &vm_tc.os;
    os->mask_saved = false;
    os->guest_mask |= act->mask | (act->flags & SA_NODEFER ? 0 : SIG_BIT(sig));
    os->guest_mask &= ~SIG_UNBLOCKABLE;
    if (os->alt_flags & SS_AUTODISARM) {
        os->alt_sp = os->alt_bytes = 0;
        os->alt_flags = SS_DISABLE;
    }
}

static void show_change(enum os_change why, const struct cpu_state *from, int sig)
{
    os_events.context_change(why, from, &vm_tc.cpu, sig);
}

static bool __attribute__((noinline)) push_frame_shown(const siginfo_t *info, const struct sig_action *act, u64 mask)
{
    struct cpu_state from = vm_tc.cpu;
    if (!sigframe_push(&vm_tc.cpu, &vm_tc.os, act, info, mask))
        return false;
    enter_handler_mask(info->si_signo, act);
    show_change(OS_CHANGE_SIGNAL, &from, info->si_signo);
    return true;
}

static bool push_frame(const siginfo_t *info, const struct sig_action *act)
{
    struct os_thread *os = &vm_tc.os;
    u64 mask = os->mask_saved ? os->saved_mask : os->guest_mask;
    arch_keep_repeat(&vm_tc.cpu);
    if (os->rseq)
        rseq_interrupt(&vm_tc);
    if (UNLIKELY(os_events.context_change != NULL))
        return push_frame_shown(info, act, mask);
    if (!sigframe_push(&vm_tc.cpu, os, act, info, mask))
        return false;
    enter_handler_mask(info->si_signo, act);
    return true;
}

/* There is no frame for the SIGSEGV that says so: the tool may still take it. */
static bool tool_takes_last(const siginfo_t *info)
{
    vm_tc.os.frame_failed = true;
    bool takes = os_events.signal && !os_events.signal(info, true);
    vm_tc.os.frame_failed = false;
    return takes;
}

/* Delivers one signal to the guest, by its action. All asynchronous signals are blocked. */
void signal_deliver(siginfo_t *info, bool forced)
{
    struct os_thread *os = &vm_tc.os;
    int sig = info->si_signo;
    bool blocked = os->guest_mask & SIG_BIT(sig);
    if (!blocked)
        signal_restore_code(info);
    if (UNLIKELY(os_events.signal != NULL) && signal_tool_takes(info, blocked, forced))
        return;
    if (blocked && !forced) { /* blocked by the handler of a forced signal since this one came */
        signal_requeue(info);
        return;
    }
    if (UNLIKELY(os_events.debug_signal != NULL)) {
        if (!os_events.debug_signal(info))
            return;
        forced &= info->si_signo == sig; /* the debugger has put another in its place */
        sig = info->si_signo;
    }
    struct sig_action act = take_action(sig);
    if (forced && (blocked || !HANDLER_IS_CODE(act.handler)))
        signal_die(info);
    if (act.handler == HANDLER_IGNORE)
        return;
    if (act.handler == HANDLER_DEFAULT) {
        take_default(info);
        return;
    }
    if (sig == SIGSYS && info->si_code == SECCOMP_TRAP)
        info->si_call_addr = (void *)arch_pc(&vm_tc.cpu);
    if (push_frame(info, &act)) {
        if (os_syscalls_watched())
            sys_tool_handler_entered();
        if (UNLIKELY(os_events.kernel_wrote != NULL))
            os_events.kernel_wrote();
        if (UNLIKELY(vm_tc.jit.debug == JIT_STEP)) /* a step ends at a handler's first instruction */
            vm_tc.jit.debug = JIT_STEPPED;
        __atomic_add_fetch(&os_signals, 1, __ATOMIC_RELAXED);
        return;
    }
    if (sig != SIGSEGV)
        signal_force_frame();
    else if (!tool_takes_last(info))
        signal_die(info);
}

bool signal_take_slot(siginfo_t *info)
{
    if (!signal_slot_full())
        return false;
    *info = vm_tc.os.pending_info;
    __atomic_store_n(&vm_tc.os.pending_info.si_signo, 0, __ATOMIC_RELAXED);
    overdue_wait_ends();
    return true;
}

/* The wait with a temporary mask was ended by a signal that then needed no handler. */
static void restore_saved_mask(void)
{
    if (!vm_tc.os.mask_saved || signal_attention())
        return;
    vm_tc.os.mask_saved = false;
    vm_tc.os.guest_mask = vm_tc.os.saved_mask;
}

/* Sets E11's mask again; closes the mask first if it is not closed yet (S4). */
static void open_mask(void)
{
    if (!signal_mask_is_closed(vm_tc.os.kernel_mask) &&
        vm_tc.os.kernel_mask != signal_kernel_mask_for(vm_tc.os.guest_mask))
        signal_block_all();
    signal_unblock();
}

void signal_settle_masks(void)
{
    restore_saved_mask();
    open_mask();
}

#pragma weak record_signals /* not every architecture has a recorder */
static void __attribute__((noinline)) deliver_waiting(void)
{
    siginfo_t info;
    if (UNLIKELY(os_record) && !vm_tc.os.vfork_child) {
        record_signals();
        return;
    }
    while (signal_attention()) {
        __atomic_store_n(&vm_tc.os.pending, false, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (signal_take_slot(&info))
            signal_deliver(&info, signal_is_fault(&info));
        signal_settle_masks();
    }
}

void os_deliver_pending(void)
{
    os_leave_dying();
    if (UNLIKELY(signal_attention()))
        deliver_waiting();
}

void signal_force(const siginfo_t *info)
{
    siginfo_t copy = *info;
    signal_block_all();
    signal_deliver(&copy, true);
    signal_set_attention(); /* for the kernel's mask */
}

/* As the kernel does where it cannot write a frame, or finds none. */
void signal_force_frame(void)
{
    static const siginfo_t segv = {.si_signo = SIGSEGV, .si_code = SI_KERNEL};
    vm_tc.os.frame_failed = true;
    signal_force(&segv);
    vm_tc.os.frame_failed = false;
}
