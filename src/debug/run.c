/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. The packets that let threads go on, and the numbers of threads and signals in them. */
#include "debug/stub.h"

#include "os/debugport.h"

#include <stdio.h>
#include <string.h>

#define MOST_ACTIONS 128u

/* The protocol's numbers of signals, by those of the system. */
static const u8 protocol_number[] = {
    [SIGHUP] = 1, [SIGINT] = 2, [SIGQUIT] = 3, [SIGILL] = 4, [SIGTRAP] = 5, [SIGABRT] = 6, [SIGFPE] = 8, [SIGKILL] = 9,
    [SIGBUS] = 10, [SIGSEGV] = 11, [SIGSYS] = 12, [SIGPIPE] = 13, [SIGALRM] = 14, [SIGTERM] = 15, [SIGURG] = 16,
    [SIGSTOP] = 17, [SIGTSTP] = 18, [SIGCONT] = 19, [SIGCHLD] = 20, [SIGTTIN] = 21, [SIGTTOU] = 22, [SIGIO] = 23,
    [SIGXCPU] = 24, [SIGXFSZ] = 25, [SIGVTALRM] = 26, [SIGPROF] = 27, [SIGWINCH] = 28, [SIGUSR1] = 30, [SIGUSR2] = 31,
    [SIGPWR] = 32,
};
#define PROTOCOL_UNKNOWN 143
#define PROTOCOL_RT_32 77 /* then 64; 33 to 63 are in a row from 45 on */
#define PROTOCOL_RT_33 45

int signal_to_protocol(int sig)
{
    if (sig > 0 && sig < (int)sizeof protocol_number && protocol_number[sig])
        return protocol_number[sig];
    if (sig == 32 || sig == 64)
        return sig == 32 ? PROTOCOL_RT_32 : PROTOCOL_RT_32 + 1;
    return sig > 32 && sig < 64 ? PROTOCOL_RT_33 + sig - 33 : sig == 0 ? 0 : PROTOCOL_UNKNOWN;
}

int signal_from_protocol(u64 n)
{
    for (int sig = 1; sig <= 64 && n; sig++)
        if ((u64)signal_to_protocol(sig) == n)
            return sig;
    return 0;
}

void reply_thread(const struct thread *t)
{
    struct identity id = vforks_identity(t);
    if (query_processes)
        reply_text("p%x.", id.pid);
    reply_text("%x", id.tid);
}

u64 take_process(const char *at)
{
    u64 v;
    return take_char(&at, 'p') && take_hex(&at, &v) ? v : 0;
}

s64 take_thread(const char **at)
{
    u64 v = 0;
    if (take_char(at, 'p')) {
        if (take_char(at, '-'))
            take_hex(at, &v);
        else
            take_hex(at, &v);
        if (!take_char(at, '.'))
            return -1; /* all threads of the process */
    }
    bool all = take_char(at, '-');
    take_hex(at, &v);
    return all ? -1 : (s64)v;
}

/* --- vCont -------------------------------------------------------------------------------------------------------- */

static struct action {
    s64 tid; /* -1: all others */
    struct resume what;
} actions[MOST_ACTIONS];
static u32 nactions;

static const struct resume *what_of(const struct thread *t)
{
    static const struct resume stays;
    for (u32 i = 0; i < nactions; i++)
        if (actions[i].tid == -1 || actions[i].tid == vforks_identity(t).tid)
            return &actions[i].what;
    return &stays;
}

/* False: it cannot be read. */
static bool take_action(const char **at)
{
    struct action a = {.tid = -1, .what = {.run = true}};
    char c = **at;
    u64 n;
    if (!c || !strchr("cCsSr", c) || nactions == MOST_ACTIONS)
        return false;
    ++*at;
    a.what.step = c == 's' || c == 'S' || c == 'r';
    if ((c == 'C' || c == 'S') && take_hex(at, &n))
        a.what.signal = signal_from_protocol(n);
    if (c == 'r' && (!take_hex(at, &a.what.start) || !take_char(at, ',') || !take_hex(at, &a.what.end)))
        return false;
    u64 process = 0;
    if (take_char(at, ':')) {
        process = take_process(*at);
        a.tid = take_thread(at);
    }
    bool child = vforks_follow(process);
    if (child)
        a.tid = (s64)process;
    if (child || !process || process == (u64)debugport_pid())
        actions[nactions++] = a;
    return true;
}

static void continue_threads(const char *at)
{
    nactions = 0;
    while (take_char(&at, ';'))
        if (!take_action(&at)) {
            reply_error(1);
            return;
        }
    if (!nactions) { /* a child that is kept: DB17 */
        reply_begin();
        reply_text("E.only one process can go on; detach from the other one (detach inferiors)");
        reply_send();
    } else
        control_resume(what_of);
}

void run_all(bool step, const char *rest)
{
    (void)rest;
    nactions = 1;
    actions[0] = (struct action){.tid = -1, .what = {.run = true}};
    if (step && control_current) {
        actions[0] = (struct action){.tid = vforks_identity(control_current).tid, .what = {.run = true, .step = true}};
        actions[nactions++] = (struct action){.tid = -1, .what = {.run = true}};
    }
    control_resume(what_of);
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* vKill;pid */
static void kill_process(const char *text)
{
    const char *at = text + strlen("vKill");
    u64 pid;
    bool child = take_char(&at, ';') && take_hex(&at, &pid) && (forks_kill(pid) || vforks_kill(pid));
    reply_text("OK");
    reply_send();
    if (!child)
        os_process_kill();
}

void run_packet(const char *text)
{
    reply_begin();
    if (begins(text, "vCont?")) {
        reply_text("vCont;c;C;s;S;r");
        reply_send();
    } else if (begins(text, "vCont;")) {
        continue_threads(text + 5);
    } else if (begins(text, "vKill")) {
        kill_process(text);
    } else if (begins(text, "vFile:")) {
        file_packet(text + 6);
    } else {
        reply_send();
    }
}
