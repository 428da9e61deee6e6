/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. The packets q and Q: what the stub can do, lists of threads, and the objects that the debugger reads in
 * pieces (qXfer). */
#include "debug/stub.h"

#include "debug_regs.h"
#include "os/debugport.h"
#include "os/os.h"
#include "vm/pause.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool query_processes;
static enum debug_type type;

enum debug_type debug_type(void) { return type; }

void reply_error(u32 n)
{
    reply_begin();
    reply_text("E%02x", n);
    reply_send();
}

static void reply_ok(void)
{
    reply_begin();
    reply_text("OK");
    reply_send();
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

/* An object as a whole; bytes -1: there is none. */
struct object {
    const void *at;
    s64 bytes;
    void *free; /* from malloc, NULL: nothing */
};

static struct object read_description(const char *annex)
{
    if (debug_hooks.description) {
        char *text = debug_hooks.description(annex);
        return text ? (struct object){text, (s64)strlen(text), text} : (struct object){.bytes = -1};
    }
    if (strcmp(annex, "target.xml"))
        return (struct object){.bytes = -1};
    const char *xml = debug_regs_xml();
    return (struct object){xml, (s64)strlen(xml), NULL};
}

static struct object read_auxv(const char *annex)
{
    const u64 *p = os_guest_auxv(), *end = p;
    (void)annex;
    while (end && end[0])
        end += 2;
    return p ? (struct object){p, (end + 2 - p) * 8, NULL} : (struct object){.bytes = -1};
}

static struct object read_exec_file(const char *annex)
{
    const char *path = debugport_program();
    (void)annex;
    return (struct object){path, (s64)strlen(path), NULL};
}

static void add_escaped(FILE *f, const char *text)
{
    for (; *text; text++)
        if (strchr("<>&\"'", *text) || (u8)*text < 0x20)
            fprintf(f, "&#%d;", (u8)*text);
        else
            fputc(*text, f);
}

/* Scripts that were written for Pin expect lines of gdb without names, and without numbers of processes. */
static void add_name(FILE *f, int tid)
{
    char name[32];
    debugport_thread_name(tid, name, sizeof name);
    fprintf(f, " name=\"");
    add_escaped(f, name);
    fprintf(f, "\"");
}

static struct object read_threads(const char *annex)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    (void)annex;
    if (!f)
        return (struct object){.bytes = -1};
    fprintf(f, "<?xml version=\"1.0\"?><threads>");
    for (u32 i = 0; i < pause_count(); i++) {
        const struct thread *t = pause_nth(i);
        struct identity id = vforks_identity(t);
        fprintf(f, "<thread id=\"");
        if (query_processes)
            fprintf(f, "p%x.", id.pid);
        fprintf(f, "%x\"", id.tid);
        if (query_processes)
            add_name(f, t->os.tid);
        fprintf(f, "/>");
    }
    fprintf(f, "</threads>");
    fclose(f);
    return (struct object){text, (s64)bytes, text};
}

static struct object read_siginfo(const char *annex)
{
    static siginfo_t trap;
    struct thread *t = control_current;
    (void)annex;
    if (t && t->debug.event == EVENT_SIGNAL)
        return (struct object){&t->debug.info, sizeof t->debug.info, NULL};
    trap = (siginfo_t){.si_signo = SIGTRAP, .si_code = TRAP_BRKPT};
    return (struct object){&trap, sizeof trap, NULL};
}

static const struct {
    const char *name;
    struct object (*read)(const char *annex);
} objects[] = {
    {"features", read_description}, {"auxv", read_auxv},       {"exec-file", read_exec_file},
    {"threads", read_threads},      {"siginfo", read_siginfo},
};

static void reply_object(const struct object *o, u64 at, u64 most)
{
    u64 left = at < (u64)o->bytes ? (u64)o->bytes - at : 0, n = left < most ? left : most;
    n = n < PACKET_MOST / 2 ? n : PACKET_MOST / 2; /* escaped it may be twice as long */
    reply_begin();
    reply_text(n < left ? "m" : "l");
    reply_bytes((const char *)o->at + at, n);
    reply_send();
}

/* object:read:annex:offset,length */
static void transfer(const char *text, size_t bytes)
{
    (void)bytes;
    for (u32 i = 0; i < ARRAY_LEN(objects); i++) {
        size_t n = strlen(objects[i].name);
        if (strncmp(text, objects[i].name, n) || strncmp(text + n, ":read:", 6))
            continue;
        const char *annex = text + n + 6, *end = strchr(annex, ':');
        char name[64] = "";
        u64 at, most;
        if (!end || (size_t)(end - annex) >= sizeof name)
            break;
        memcpy(name, annex, (size_t)(end - annex));
        if (!take_hex((end++, &end), &at) || !take_char(&end, ',') || !take_hex(&end, &most))
            break;
        struct object o = objects[i].read(name);
        if (o.bytes < 0)
            reply_error(0);
        else
            reply_object(&o, at, most);
        free(o.free);
        return;
    }
    reply_begin();
    reply_send();
}

/* --- lists and features ------------------------------------------------------------------------------------------- */

static void supported(const char *text, size_t bytes)
{
    (void)bytes;
    type = type == DEBUGGER_IS_LLDB ? type : DEBUGGER_IS_GDB;
    query_processes = debug_mode.forks && strstr(text, "multiprocess+");
    forks_wanted = query_processes && strstr(text, ";fork-events+");
    vforks_wanted = query_processes && strstr(text, ";vfork-events+");
    execs_wanted = query_processes && strstr(text, ";exec-events+");
    reply_begin();
    reply_text("PacketSize=%x;qXfer:features:read+;qXfer:auxv:read+;qXfer:exec-file:read+;qXfer:threads:read+;"
               "qXfer:siginfo:read+;QStartNoAckMode+;QPassSignals+;swbreak+;hwbreak+;vContSupported+", PACKET_MOST);
    if (query_processes)
        reply_text(";multiprocess+");
    if (forks_wanted)
        reply_text(";fork-events+");
    if (vforks_wanted)
        reply_text(";vfork-events+");
    if (execs_wanted)
        reply_text(";exec-events+");
    reply_send();
}

static u32 listed;

static void list_threads(void)
{
    reply_begin();
    for (u32 n = 0; listed < pause_count() && n < 64; n++, listed++) {
        reply_text(n ? "," : "m");
        reply_thread(pause_nth(listed));
    }
    if (!listed || !pause_count())
        reply_text("l");
    reply_send();
}

static void first_threads(const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    listed = 0;
    list_threads();
}

static void more_threads(const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    if (listed < pause_count()) {
        list_threads();
        return;
    }
    reply_begin();
    reply_text("l");
    reply_send();
}

static void current(const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    reply_begin();
    if (control_current) {
        reply_text("QC");
        reply_thread(control_current);
    }
    reply_send();
}

/* Was the program there before the debugger? Then it goes on when the debugger ends. */
static void attached(const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    reply_begin();
    reply_text(debug_mode.stop ? "0" : "1");
    reply_send();
}

/* monitor */
static void command(const char *text, size_t bytes)
{
    static char line[PACKET_MOST / 2 + 1];
    const char *result = "";
    size_t n = take_bytes(text + (text[0] == ','), line, sizeof line - 1);
    (void)bytes;
    line[n] = 0;
    bool done = debug_hooks.command && control_current &&
                debug_hooks.command(control_current, registers_of(control_current), line, &result);
    reply_begin();
    if (done && *result)
        reply_hex(result, strlen(result) < PACKET_MOST / 2 ? strlen(result) : PACKET_MOST / 2);
    else if (done)
        reply_text("OK");
    reply_send();
}

static void dispatch(const struct word *table, u32 n, const char *text, size_t bytes)
{
    for (u32 i = 0; i < n; i++) {
        size_t len = strlen(table[i].name);
        bool ends = !text[len] || strchr(":;,", text[len]) || table[i].name[len - 1] == ':';
        if (strncmp(text, table[i].name, len) || !ends)
            continue;
        table[i].f(text + len, bytes - len);
        return;
    }
    reply_begin();
    reply_send();
}

static const struct word gets[] = {
    {"Supported", supported}, {"Xfer:", transfer},    {"fThreadInfo", first_threads}, {"sThreadInfo", more_threads},
    {"C", current},           {"Attached", attached}, {"Symbol", tls_symbols},
    {"Rcmd", command},
    {"GetTLSAddr", tls_address},
    {"HostInfo", lldb_host},
    {"ProcessInfo", lldb_process},
    {"MemoryRegionInfo", lldb_region},
};

void query_get(const char *text, size_t bytes) { dispatch(gets, ARRAY_LEN(gets), text, bytes); }

/* --- settings ----------------------------------------------------------------------------------------------------- */

static void no_acks(const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    reply_ok();
    packet_no_acks();
}

static void pass_signals(const char *text, size_t bytes)
{
    u64 mask = 0, n;
    const char *at = text;
    (void)bytes;
    while (take_char(&at, ':') || take_char(&at, ';'))
        if (take_hex(&at, &n) && signal_from_protocol(n))
            mask |= 1ul << (signal_from_protocol(n) - 1);
    control_pass(mask);
    reply_ok();
}

/* Only lldb asks so. */
static void thread_suffix(const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    type = DEBUGGER_IS_LLDB;
    reply_begin();
    reply_send();
}

static const struct word sets[] = {
    {"StartNoAckMode", no_acks}, {"PassSignals", pass_signals}, {"ThreadSuffixSupported", thread_suffix},
};

void query_forget(void)
{
    type = DEBUGGER_IS_UNKNOWN;
    tls_forget();
    query_processes = forks_wanted = vforks_wanted = execs_wanted = false;
}

enum { STATE_ACKS = 1, STATE_PROCESSES = 2, STATE_FORKS = 4, STATE_EXECS = 8, STATE_VFORKS = 16, STATE_TYPE_SHIFT = 5 };

u32 query_state(void)
{
    return (packet_has_acks() ? STATE_ACKS : 0u) | (query_processes ? STATE_PROCESSES : 0u) |
           (forks_wanted ? STATE_FORKS : 0u) | (execs_wanted ? STATE_EXECS : 0u) |
           (vforks_wanted ? STATE_VFORKS : 0u) | (u32)type << STATE_TYPE_SHIFT;
}

void query_restore(u32 state)
{
    if (!(state & STATE_ACKS))
        packet_no_acks();
    query_processes = state & STATE_PROCESSES;
    forks_wanted = state & STATE_FORKS;
    execs_wanted = state & STATE_EXECS;
    vforks_wanted = state & STATE_VFORKS;
    type = state >> STATE_TYPE_SHIFT;
}

void query_set(const char *text, size_t bytes) { dispatch(sets, ARRAY_LEN(sets), text, bytes); }
