/* SPDX-License-Identifier: Apache-2.0
 * The debugger's thread: waits for a connection, carries packets out, and tells the debugger when the guest stops
 * (docs/design/debugger.md). One debugger at a time; another one is turned away. Owns the listening descriptor. It is
 * a thread of the host's, which the guest does not see. */
#include "debug/stub.h"

#include "base/options.h"
#include "debug_regs.h"
#include "os/debugport.h"
#include "os/events.h"
#include "os/hostlock.h"
#include "vm/pause.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_WAIT_MS 1000 /* for the debugger to read that the program has ended */

struct debug_mode debug_mode;
static int listening = -1;
static bool detaching;
static bool other_chosen; /* what is asked is asked of a child that waits (DB17), of which nothing is known */

/* --- packets ------------------------------------------------------------------------------------------------------ */

static void answer(bool good)
{
    reply_begin();
    reply_text(good ? "OK" : "E01");
    reply_send();
}

static void read_memory(const char *at)
{
    static u8 buffer[PACKET_MOST / 2];
    u64 from, bytes;
    if (!take_hex(&at, &from) || !take_char(&at, ',') || !take_hex(&at, &bytes)) {
        reply_error(1);
        return;
    }
    bytes = bytes < sizeof buffer ? bytes : sizeof buffer;
    size_t n = debugport_read_memory(from, buffer, bytes);
    if (!n && bytes) {
        reply_error(1);
        return;
    }
    reply_begin();
    reply_hex(buffer, n);
    reply_send();
}

/* M: in hexadecimal, X: as it is. */
static void write_memory(const char *at, const char *end, bool hex)
{
    static u8 buffer[PACKET_MOST];
    u64 to, bytes;
    bool good = take_hex(&at, &to) && take_char(&at, ',') && take_hex(&at, &bytes) && take_char(&at, ':') &&
                bytes <= sizeof buffer;
    if (good && hex)
        good = take_bytes(at, buffer, bytes) == bytes;
    else if (good && (good = (u64)(end - at) >= bytes))
        memcpy(buffer, at, bytes);
    good = good && debugport_write_memory(to, buffer, bytes) == bytes;
    if (good)
        watch_debugger_wrote(to, bytes);
    answer(good);
}

static void change_point(const char *at, bool on)
{
    u64 kind, where, bytes;
    bool good = take_hex(&at, &kind) && take_char(&at, ',') && take_hex(&at, &where) && take_char(&at, ',') &&
                take_hex(&at, &bytes);
    if (good && !breaks_known((u32)kind)) {
        reply_begin();
        reply_send();
        return;
    }
    answer(good && breaks_insert((u32)kind, where, bytes, on));
}

static void choose_thread(const char *at)
{
    bool general = take_char(&at, 'g');
    if (!general)
        take_char(&at, 'c');
    struct thread *child = vforks_follow(take_process(at));
    if (child) {
        control_current = child;
        other_chosen = false;
        answer(true);
        return;
    }
    if (forks_has(take_process(at))) {
        other_chosen |= general;
        answer(true);
        return;
    }
    s64 tid = take_thread(&at);
    struct thread *t = tid > 0 ? control_thread((u64)tid) : control_current;
    if (general)
        other_chosen = false;
    if (tid > 0 && !t) {
        reply_error(1);
        return;
    }
    if (general && t)
        control_current = t;
    answer(true);
}

static void one_register(const char *at, bool write)
{
    u64 n;
    bool good = take_hex(&at, &n) && control_current;
    if (write) {
        answer(good && take_char(&at, '=') && register_write(control_current, (u32)n, at));
        return;
    }
    reply_begin();
    if (!good || !register_reply(control_current, (u32)n))
        reply_text("E01");
    reply_send();
}

static void all_registers(const char *at, bool write)
{
    if (!control_current) {
        reply_error(1);
    } else if (write) {
        answer(registers_write(control_current, at));
    } else {
        reply_begin();
        registers_reply(control_current);
        reply_send();
    }
}

static void is_alive(const char *at)
{
    bool other = forks_has(take_process(at)) || vforks_has(take_process(at));
    s64 tid = take_thread(&at);
    answer(other || (tid > 0 && control_thread((u64)tid)));
}

static void detach(const char *at)
{
    u64 pid;
    bool other = take_char(&at, ';') && take_hex(&at, &pid) && pid != (u64)debugport_pid();
    answer(!other || forks_detach(pid) || vforks_detach(pid) || execs_detach(pid));
    detaching = !other;
}

/* A child that waits has no breakpoints, and nobody sees its state: it is the parent's yet. */
static void answer_for_other(const char *text)
{
    if (text[0] != 'g') {
        answer(text[0] == 'Z' || text[0] == 'z');
        return;
    }
    reply_begin();
    registers_reply_unknown();
    reply_send();
}

static void carry_out(char *text, size_t bytes)
{
    const char *rest = text + 1;
    if (other_chosen && strchr("gGpPmMXZz", text[0])) {
        answer_for_other(text);
        return;
    }
    switch (text[0]) {
    case '?': control_tell(SIGTRAP, false); break;
    case 'g': all_registers(rest, false); break;
    case 'G': all_registers(rest, true); break;
    case 'p': one_register(rest, false); break;
    case 'P': one_register(rest, true); break;
    case 'm': read_memory(rest); break;
    case 'M': write_memory(rest, text + bytes, true); break;
    case 'X': write_memory(rest, text + bytes, false); break;
    case 'H': choose_thread(rest); break;
    case 'T': is_alive(rest); break;
    case 'Z': change_point(rest, true); break;
    case 'z': change_point(rest, false); break;
    case 'c': run_all(false, rest); break;
    case 's': run_all(true, rest); break;
    case 'v': run_packet(text); break;
    case 'q': query_get(rest, bytes - 1); break;
    case 'Q': query_set(rest, bytes - 1); break;
    case 'D': detach(rest); break;
    case 'k': os_process_kill();
    default:
        reply_begin();
        reply_send();
    }
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

static void disconnect(void)
{
    u64 pass = control_passed();
    breaks_clear();
    control_release();
    packet_close();
    forks_end(detaching, pass);
    detaching = other_chosen = false;
    query_forget();
    debugport_files_close();
}

/* What the debugger sees when it connects: the guest is stopped. */
static void connected(void)
{
    control_connected();
    control_stop();
    if (!control_choose())
        control_current = control_thread(0);
}

static void take_connection(void)
{
    int fd = debugport_accept(listening);
    if (fd < 0)
        return;
    if (packet_fd() >= 0) /* there is a debugger already */
        debugport_close(fd);
    else {
        packet_open(fd);
        connected();
    }
}

/* The tool may keep it from the debugger. */
static bool is_let_through(void)
{
    struct thread *t = control_current;
    return !t || !debug_hooks.intercept || debug_hooks.intercept(INTERCEPT_ASYNC, t->id, registers_of(t));
}

/* DB11: those that have been stopped only because another one has stopped, or the debugger has asked. */
static void stopped_with_it(void)
{
    for (u32 i = 0; debug_hooks.intercept && i < pause_count(); i++) {
        struct thread *t = pause_nth(i);
        if (t != control_current && t->debug.event == EVENT_NONE)
            debug_hooks.intercept(INTERCEPT_ASYNC, t->id, registers_of(t));
    }
}

static void stop_and_tell(int signal)
{
    control_stop();
    bool ended = control_step_ended();
    if (!control_choose()) {
        if (ended && !signal && control_all_held()) {
            control_choose_any();
            reply_begin();
            reply_text("N"); /* nobody is left who could stop */
            reply_send();
            return;
        }
        if (!signal) { /* the thread has ended, or its event was told: nothing has happened */
            control_resume_all();
            return;
        }
        control_choose_any();
        if (!is_let_through()) {
            control_resume_all();
            return;
        }
    }
    stopped_with_it();
    control_tell(signal, true);
}

static void take_packet(void)
{
    char *text;
    size_t bytes;
    switch (packet_read(&text, &bytes)) {
    case PACKET_NONE: break;
    case PACKET_GONE: disconnect(); break;
    case PACKET_BREAK:
        if (control_running)
            stop_and_tell(SIGINT);
        break;
    case PACKET_DATA:
        if (control_running) /* the protocol has none then */
            break;
        carry_out(text, bytes);
        if (detaching)
            disconnect();
    }
}

static void *stub_main(void *arg)
{
    (void)arg;
    thread_take_id(); /* functions of the tool run here */
    if (packet_fd() >= 0)
        connected();
    if (execs_told)
        control_tell(SIGTRAP, true);
    execs_told = false;
    for (;;) {
        int fd[] = {control_bell(), listening, packet_fd()};
        u32 ready = packet_fd() >= 0 && packet_waits() ? 4 : debugport_wait(fd, ARRAY_LEN(fd), -1);
        execs_busy();
        if (ready & 1)
            debugport_hear(control_bell());
        if (vforks_leave()) {
            disconnect();
            ready = 0;
        }
        if (ready & 1 && packet_fd() >= 0 && control_running)
            stop_and_tell(0);
        if (ready & 2 && !(ready & 4)) /* the end of the one before may be among what has come */
            take_connection();
        if (ready & 4 && packet_fd() >= 0)
            take_packet();
        execs_idle();
    }
    return NULL;
}

/* --- start and end ------------------------------------------------------------------------------------------------ */

void debug_open(void)
{
    if (!debug_mode.on)
        return;
    if (debug_mode.inherit && execs_inherit(debug_mode.inherit))
        return;
    if (debug_mode.host) {
        int fd = debugport_connect(debug_mode.host, debug_mode.port);
        if (fd < 0)
            die(1, "no debugger waits at %s:%u (-appdebug_connection): %s", debug_mode.host, debug_mode.port,
                strerror(errno));
        packet_open(fd);
        return;
    }
    listening = debug_mode.path ? debugport_listen_path(debug_mode.path)
                                : debugport_listen_tcp(&debug_mode.port, debug_mode.remote);
    if (listening < 0 && debug_mode.path)
        die(1, "no debugger can be waited for at the socket %s: %s", debug_mode.path, strerror(errno));
    if (listening < 0)
        die(1, "no debugger can be waited for at port %u: %s", debug_mode.port, strerror(errno));
}

/* Scripts wait for the line with `target remote`. */
static void say_how(void)
{
    char text[512];
    if (debug_mode.silent || debug_mode.host)
        return;
    int n = snprintf(text, sizeof text, "%sStart GDB, then issue this command at the (gdb) prompt:\n",
                     debug_mode.stop ? "Application stopped until continued from debugger.\n" : "");
    if (debug_mode.path)
        snprintf(text + n, sizeof text - (size_t)n, "  target remote %s\n", debug_mode.path);
    else
        snprintf(text + n, sizeof text - (size_t)n, "  target remote :%u\n", debug_mode.port);
    debugport_say(text);
}

/* The program ends: on the thread that ends it. */
static void tell_end(int status)
{
    char text[64];
    int fd = packet_fd();
    if (fd < 0 || !control_running)
        return;
    bool killed = status == -1 && vm_tc.debug.last;
    int n = snprintf(text, sizeof text, "%c%02x", killed ? 'X' : 'W',
                     killed ? signal_to_protocol(vm_tc.debug.last) : status & 0xff);
    if (query_processes)
        snprintf(text + n, sizeof text - (size_t)n, ";process:%x", debugport_pid());
    packet_notify(text);
    /* It closes the connection when it has read that; what it has sent meanwhile would cut the connection first. */
    while (debugport_wait(&fd, 1, EXIT_WAIT_MS) && debugport_drop(fd))
        ;
}

/* The connection is closed by the execve, but for DB18. */
static void executes(const char *path, bool followed)
{
    char text[PATH_MAX + 128];
    if (!debug_connected() || (followed && execs_wanted))
        return;
    int n = snprintf(text, sizeof text, "The program executes %s, which this debugger does not see.\n", path);
    packet_print(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void forked(void)
{
    if (!forks_forget() && packet_fd() >= 0)
        packet_close();
    debugport_close(listening);
    listening = -1;
    debugport_files_close();
    execs_forget();
    watch_forget();
    control_forget();
    breaks_clear();
}

void debug_options(void)
{
    const char *to = options.appdebug_connection;
    debug_mode.on = (options.appdebug || options.appdebug_enable) && !options.appdebug_off;
    debug_mode.stop = options.appdebug;
    debug_mode.silent = options.appdebug_silent;
    debug_mode.remote = options.appdebug_allow_remote;
    debug_mode.forks = options.appdebug_forks;
    debug_mode.port = options.appdebug_server_port;
    debug_mode.inherit = options.appdebug_inherit;
    if (!to)
        return;
    if (!strncmp(to, "unix:", 5)) {
        debug_mode.path = to + 5;
        return;
    }
    char *host = strdup(to), *colon = host ? strrchr(host, ':') : NULL;
    if (!colon)
        die(1, "option -appdebug_connection: '%s' is neither [IP]:PORT nor unix:PATH", to);
    *colon = 0;
    debug_mode.host = host;
    debug_mode.port = (u32)strtoul(colon + 1, NULL, 10);
}

void debug_end(void)
{
    packet_close();
    debugport_close(listening);
    listening = -1;
}

static void start_thread(void)
{
    pthread_t thread;
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) || pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) ||
        pthread_create(&thread, &attr, stub_main, NULL))
        die(1, "the debugger's thread cannot be started");
    pthread_attr_destroy(&attr);
}

void stub_take_over(u64 pass_signals)
{
    detaching = other_chosen = false;
    packet_inherit();
    control_take_over(pass_signals);
    start_thread();
}

void debug_start(void)
{
    if (!debug_mode.on)
        return;
    options.no_dead = true; /* DB4 */
    debug_regs_init();
    control_start();
    os_at_exit(tell_end);
    os_events.debug_forked = forked;
    os_events.debug_executes = executes;
    say_how();
    if (options.appdebug_ready)
        debugport_say_ready((int)options.appdebug_ready);
    start_thread();
}
