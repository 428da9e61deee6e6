// SPDX-License-Identifier: Apache-2.0
// Signals with a handler, without, blocked, and of a faulting instruction. What the program writes shows when it goes on.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

long at_target = 5;
static sigjmp_buf back;

static void say(const char *text)
{
    char line[128];
    int n = snprintf(line, sizeof line, "guest: %s\n", text);
    if (write(1, line, (size_t)n) != n)
        abort();
}

void handler(int sig)
{
    say(sig == SIGUSR1 ? "handler of SIGUSR1" : "handler of another");
}

void at_other(int sig)
{
    say(sig == SIGUSR1 ? "other handler of SIGUSR1" : "other handler");
}

void fault_handler(int sig, siginfo_t *info, void *ctxt)
{
    char text[96];
    const ucontext_t *u = ctxt;
    snprintf(text, sizeof text, "fault handler: signal %d code %d at %s, access to %s", sig, info->si_code, u->uc_mcontext.gregs[REG_RIP] ? "somewhere" : "nowhere",
             info->si_addr == (void *)16 ? "16" : info->si_addr == (void *)(long)u->uc_mcontext.gregs[REG_RIP] ? "the instruction" : "another");
    say(text);
    siglongjmp(back, 1);
}

// rbx: where 7 is written
long poke(long at)
{
    long got = 0;
    __asm__ volatile(".globl at_poke\nat_poke: movq $7, (%1)\nmovq at_target(%%rip), %0" : "=r"(got) : "b"(at) : "memory");
    return got;
}

__attribute__((noinline)) void quotient(void) { __asm__ volatile(".globl at_divide\nat_divide: nop"); }

static void try_faults(void)
{
    struct sigaction act = {.sa_sigaction = fault_handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGFPE, &act, NULL);
    if (!sigsetjmp(back, 1))
        say(poke(16) == 7 ? "poked" : "not poked");
    if (!sigsetjmp(back, 1)) {
        quotient();
        say("no exception");
    }
}

static void block(int how, int sig)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    sigprocmask(how, &set, NULL);
}

int main(void)
{
    struct sigaction act = {.sa_handler = handler};
    sigaction(SIGUSR1, &act, NULL);
    raise(SIGUSR1);
    say("after SIGUSR1");
    block(SIG_BLOCK, SIGUSR1);
    raise(SIGUSR1);
    say("blocked");
    block(SIG_UNBLOCK, SIGUSR1);
    say("unblocked");
    raise(SIGWINCH);
    say("after SIGWINCH");
    try_faults();
    raise(SIGUSR2);
    say("after SIGUSR2");
    return 3;
}
//> signals status=-12
//= signal 10 from raise to handler
//= guest: handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: after SIGUSR1
//= guest: blocked
//= signal 10 from sigprocmask to handler
//= guest: handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: unblocked
//= guest: after SIGWINCH
//= signal 11 from at_poke to fault_handler
//= guest: fault handler: signal 11 code 1 at somewhere, access to 16
//= guest: no exception
//= fatal 12 from raise
//= fini -1
//> signals intercept=10 intercept2=28 status=-12
//= intercept 10 handler 1 in raise, no exception
//= signal 10 from raise to handler
//= guest: handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: after SIGUSR1
//= guest: blocked
//= intercept 10 handler 1 in sigprocmask, no exception
//= signal 10 from sigprocmask to handler
//= guest: handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: unblocked
//= intercept 28 handler 0 in raise, no exception
//= guest: after SIGWINCH
//= signal 11 from at_poke to fault_handler
//= guest: fault handler: signal 11 code 1 at somewhere, access to 16
//= guest: no exception
//= fatal 12 from raise
//= fini -1
//> signals intercept=10 unblock=10 status=-12
//= intercept 10 handler 1 in raise, no exception
//= signal 10 from raise to handler
//= guest: handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: after SIGUSR1
//= intercept 10 handler 1 in raise, no exception
//= guest: blocked
//= signal 10 from sigprocmask to handler
//= guest: handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: unblocked
//= guest: after SIGWINCH
//= signal 11 from at_poke to fault_handler
//= guest: fault handler: signal 11 code 1 at somewhere, access to 16
//= guest: no exception
//= fatal 12 from raise
//= fini -1
//> signals intercept=12 squash=12 intercept2=10 squash2=10 status=3
//= intercept 10 handler 1 in raise, no exception
//= guest: after SIGUSR1
//= guest: blocked
//= intercept 10 handler 1 in sigprocmask, no exception
//= guest: unblocked
//= guest: after SIGWINCH
//= signal 11 from at_poke to fault_handler
//= guest: fault handler: signal 11 code 1 at somewhere, access to 16
//= guest: no exception
//= intercept 12 handler 0 in raise, no exception
//= guest: after SIGUSR2
//= fini 3
//> signals intercept=11 fix=yes raise=yes intercept2=12 squash2=12 status=3
//= signal 10 from raise to handler
//= guest: handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: after SIGUSR1
//= guest: blocked
//= signal 10 from sigprocmask to handler
//= guest: handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: unblocked
//= guest: after SIGWINCH
//= intercept 11 handler 1 in at_poke, Exception Code: ACCESS_INVALID_ADDRESS(0x1). Exception Address: at_poke. Access Type: write. Access Address: 0x10.
//= guest: poked
//= raising
//= signal 8 from quotient to fault_handler
//= guest: fault handler: signal 8 code 1 at somewhere, access to the instruction
//= intercept 12 handler 0 in raise, no exception
//= guest: after SIGUSR2
//= fini 3
//> signals redirect=yes intercept=12 squash=12 status=3
//= signal 10 from raise to handler
//= guest: other handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: after SIGUSR1
//= guest: blocked
//= signal 10 from sigprocmask to handler
//= guest: other handler of SIGUSR1
//= sigreturn to where it was, 0
//= guest: unblocked
//= guest: after SIGWINCH
//= signal 11 from at_poke to fault_handler
//= guest: fault handler: signal 11 code 1 at somewhere, access to 16
//= guest: no exception
//= intercept 12 handler 0 in raise, no exception
//= guest: after SIGUSR2
//= fini 3
//> signals old=yes status=3
//= old intercept 10 handler 1 in raise
//= before 10 from raise to handler
//= guest: handler of SIGUSR1
//= after, back to raise
//= guest: after SIGUSR1
//= guest: blocked
//= old intercept 10 handler 1 in sigprocmask
//= before 10 from sigprocmask to handler
//= guest: handler of SIGUSR1
//= after, back to sigprocmask
//= guest: unblocked
//= guest: after SIGWINCH
//= before 11 from at_poke to fault_handler
//= guest: fault handler: signal 11 code 1 at somewhere, access to 16
//= guest: no exception
//= old intercept 12 handler 0 in raise
//= guest: after SIGUSR2
//= fini 3
