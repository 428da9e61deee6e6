/* SPDX-License-Identifier: Apache-2.0
 * Signals that end a program in probe mode (docs/design/probes.md, PB19). Where the action is the default one, and that
 * ends the process, the kernel is given a handler which leads to host code; the default action is set again before the
 * signal is sent anew. Everything else is the program's own. No lock: the kernel has the actions, and what the program
 * gave with a default one is written before the handler is there. */
#include "os/native.h"

#include "arch/arch.h"
#include "os/linux/native_thread.h"
#include "os/linux/signal_private.h"
#include "os/linux/sys.h"

#include <signal.h>
#include <sys/syscall.h>

/* The two between are libc's own, by which it cancels threads and changes their user. */
#define OF_LIBC (SIG_BIT(32) | SIG_BIT(33))
#define SPARED (SIG_UNBLOCKABLE | SIG_DEFAULT_IGNORED | SIG_DEFAULT_STOP | OF_LIBC)

#define RESTORER 0x04000000ul /* the kernel's flag for it */

static u64 handler, restorer; /* 0: signals are the program's */
static struct sig_action given[SIGNALS + 1];
static __thread u64 lifted;    /* signals of which the thread is in sigaction */
static __thread u32 in_sigaction;

/* The first process of a pid namespace ignores signals whose action is the default one. */
static bool in_charge(void) { return getpid() == (int)native_told_pid && getpid() != 1; }

static void catch(int sig)
{
    struct sig_action now;
    if (!handler || SPARED & SIG_BIT(sig) || sigframe_action(sig, NULL, &now) || now.handler != HANDLER_DEFAULT)
        return;
    given[sig] = now;
    now = (struct sig_action){.handler = handler, .flags = SA_SIGINFO | SA_ONSTACK | RESTORER,
        .restorer = restorer, .mask = ~0ul};
    sigframe_action(sig, &now, NULL);
}

static void let(int sig)
{
    struct sig_action now;
    if (!sigframe_action(sig, NULL, &now) && now.handler == handler)
        sigframe_action(sig, &given[sig], NULL);
}

void native_catch_signals(u64 the_handler, u64 the_restorer)
{
    u64 all = ~0ul;
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&all, 0, sizeof all, 0, 0);
    handler = the_handler;
    restorer = the_restorer;
    for (int sig = 1; sig <= SIGNALS && in_charge(); sig++)
        catch(sig);
}

void native_let_signals(void)
{
    for (int sig = 1; sig <= SIGNALS && handler; sig++)
        let(sig);
    handler = 0;
}

/* A signal handler of the program's may come in between, and do the same. */
void native_before_sigaction(int sig)
{
    in_sigaction++;
    if (sig < 1 || sig > SIGNALS || !handler)
        return;
    lifted |= SIG_BIT(sig);
    let(sig);
}

void native_after_sigaction(void)
{
    if (in_sigaction && --in_sigaction)
        return;
    for (int sig = 1; lifted; sig++, lifted >>= 1)
        if (lifted & 1 && in_charge())
            catch(sig);
}

void native_repeats_signal(int sig, const void *info)
{
    u64 pid = (u64)getpid(), tid = (u64)gettid();
    if (arch_raw_syscall(SYS_rt_tgsigqueueinfo, pid, tid, (u64)sig, (u64)info, 0, 0))
        arch_raw_syscall(SYS_tgkill, pid, tid, (u64)sig, 0, 0, 0); /* the queue's limit is reached */
}

void native_dies(int sig, const void *info, bool tell)
{
    struct sig_action plain = {.handler = HANDLER_DEFAULT};
    if (tell && in_charge()) {
        os_end_signal = sig;
        process_run_exit_hooks(-1);
    }
    sigframe_action(sig, &plain, NULL);
    native_repeats_signal(sig, info);
}
