/* SPDX-License-Identifier: Apache-2.0
 * What the files of src/debug share with each other and with no other folder. All of it is on the debugger's thread,
 * but for what control.c says. */
#ifndef LP_DEBUG_STUB_H
#define LP_DEBUG_STUB_H
#include "debug/debugger.h"
#include "os/events.h"
#include "os/thread.h"

/* --- packet.c: the frame of a packet ------------------------------------------------------------------------------ */
#define PACKET_MOST 16384u

/* The answer in the making. */
void reply_begin(void);
void reply_bytes(const void *from, size_t bytes); /* escaped where the protocol wants it */
void reply_text(const char *form, ...) __attribute__((format(printf, 1, 2)));
void reply_hex(const void *from, size_t bytes);
size_t reply_room(void);
bool reply_send(void);                  /* false: the connection is gone */
bool packet_notify(const char *text);   /* a whole packet at once; from any thread */
void packet_print(const char *text, size_t bytes); /* for its user, while it waits for a stop; from any thread */

enum packet_kind { PACKET_NONE, PACKET_DATA, PACKET_BREAK, PACKET_GONE };
/* Reads what has come; blocks if nothing has. PACKET_DATA: the text, unescaped, is in *data until the next call. */
enum packet_kind packet_read(char **data, size_t *bytes);
bool packet_waits(void);                /* there is more in the buffer */
void packet_open(int fd);
void packet_inherit(void);              /* in a child of fork */
void packet_close(void);
int packet_fd(void);                    /* -1: none */
void packet_no_acks(void);
bool packet_has_acks(void);

/* Numbers in packets. Each moves *at on; false: there is none. */
bool take_hex(const char **at, u64 *v);
size_t take_bytes(const char *at, void *to, size_t most); /* pairs of digits */
bool take_char(const char **at, char c);

/* --- control.c: stops and resumes --------------------------------------------------------------------------------- */
struct resume { /* what vCont asks for one thread */
    bool run, step;
    int signal;
    u64 start, end;
};
extern bool control_running;          /* the guest's threads go on */
extern struct thread *control_current; /* whose stop was told last, or that the debugger has chosen */
void control_start(void);
void control_stop(void);               /* all threads */
/* After a stop: chooses the thread whose event is told. False: there is none. */
bool control_choose(void);
/* Sends the stop; signal: if there is no event; waits: the debugger has let the guest go and waits for a stop. */
void control_choose_any(void);         /* the current one if it is still there */
void control_tell(int signal, bool waits);
void control_resume(const struct resume *(*of)(const struct thread *t));
void control_resume_all(void);         /* as it was before control_stop */
void control_release(void);            /* the debugger has gone: all go on */
struct thread *control_thread(u64 tid); /* of the stopped ones; 0: any; NULL: none */
int control_bell(void);
void control_pass(u64 mask);           /* signals that are not told: one bit each, signal 1 is bit 0 */
void control_connected(void);
bool control_all_held(void);           /* none of the threads was let go */
bool control_step_ended(void);         /* since the last time: a thread has ended in its step */
void control_forget(void);             /* in a child of fork */
void control_take_over(u64 pass_signals); /* in a child of fork that gets the debugger, on its guest thread */
void control_ring(void);               /* the debugger's thread is to look */
void control_halt(enum debug_event e); /* the calling guest thread waits when it is next in the dispatcher */
u64 control_passed(void);

/* --- registers.c -------------------------------------------------------------------------------------------------- */
struct bridge_state *registers_of(struct thread *t);
void registers_forget(void);           /* gives the changes to the threads */
void registers_reply(struct thread *t);
void registers_reply_unknown(void);    /* of a thread whose registers nobody knows */
bool registers_write(struct thread *t, const char *hex);
bool register_reply(struct thread *t, u32 n);
bool register_write(struct thread *t, u32 n, const char *hex);
void registers_at_stop(struct thread *t); /* for a stop's packet */

/* --- breaks.c ----------------------------------------------------------------------------------------------------- */
enum watch_kind { WATCH_WRITE = 2, WATCH_READ, WATCH_ACCESS };
/* Kinds as in the packets Z and z. False: not possible. */
bool breaks_insert(u32 kind, u64 at, u64 bytes, bool on);
void breaks_clear(void);
bool breaks_known(u32 kind);
bool breaks_hardware(u64 at); /* is it one of those that the debugger calls so, and no other? */

/* --- watch.c ------------------------------------------------------------------------------------------------------ */
bool watch_insert(u32 kind, u64 at, u64 bytes, bool on);
void watch_clear(void);
bool watch_stops(void);                /* on a guest thread, after the instruction; false: nothing has changed */
void watch_debugger_wrote(u64 at, u64 bytes);
void watch_forget(void);               /* in a child of fork */

/* --- tls.c: packets ----------------------------------------------------------------------------------------------- */
void tls_symbols(const char *text, size_t bytes);
void tls_address(const char *text, size_t bytes);
void tls_forget(void); /* the debugger has gone */

/* --- forks.c (DB17) ----------------------------------------------------------------------------------------------- */
extern bool forks_wanted;              /* the debugger can be told of them */
void forks_point(enum os_fork_point point, int pid);
bool forks_forget(void);               /* in a child, before it goes on; true: it waits for its parent's debugger */
void forks_tell(const struct thread *t); /* into a stop's packet */
/* Children that were told and have not been let go. False: none of that number. */
bool forks_has(u64 pid);
bool forks_detach(u64 pid);
bool forks_kill(u64 pid);
/* The debugger has gone; follow: the child that was told last gets it. */
void forks_end(bool follow, u64 pass_signals);

/* --- vforks.c (DB19) ---------------------------------------------------------------------------------------------- */
extern bool vforks_wanted;             /* the debugger can be told of them */
void vforks_point(enum os_fork_point point, int child);
bool vforks_followed(void);            /* is the calling thread a child that the debugger goes on with? */
struct identity { int pid, tid; };
struct identity vforks_identity(const struct thread *t); /* as the debugger sees it */
/* Children that were told and have not been let go. False, NULL: none of that number. */
bool vforks_has(u64 pid);
struct thread *vforks_follow(u64 pid); /* from now on the thread is the child's */
bool vforks_detach(u64 pid);
bool vforks_kill(u64 pid);
void vforks_end(void);                 /* the debugger has gone */
bool vforks_leave(void);               /* the connection is to be closed here: asked once */
void vforks_tell(const struct thread *t);     /* into a stop's packet */
void vforks_tell_end(const struct thread *t); /* a packet of its own */

/* --- execs.c (DB18) ----------------------------------------------------------------------------------------------- */
extern bool execs_wanted;              /* the debugger can be told of them */
extern bool execs_told;
void execs_busy(void);                 /* around all that the debugger's thread does */
void execs_idle(void);
void execs_forget(void);               /* in a child of fork */
int execs_option(char option[DEBUG_INHERIT_BYTES]);
bool execs_begin(int fd);
bool execs_inherit(const char *option); /* false: that is no option, or no descriptor */
void execs_failed(void);
bool execs_detach(u64 pid);            /* false: not known */
void execs_tell(void);                 /* into a stop's packet */

/* --- lldb.c: packets ---------------------------------------------------------------------------------------------- */
void lldb_host(const char *text, size_t bytes);
void lldb_process(const char *text, size_t bytes);
void lldb_region(const char *text, size_t bytes);

/* --- query.c, run.c ----------------------------------------------------------------------------------------------- */
struct word {
    const char *name;
    void (*f)(const char *rest, size_t bytes);
};
void query_forget(void); /* the debugger has gone */
u32 query_state(void);   /* what the debugger can do, and which it is, for another program */
void query_restore(u32 state);
void query_get(const char *text, size_t bytes);
void query_set(const char *text, size_t bytes);
void run_packet(const char *text);               /* the packets v... */
void run_all(bool step, const char *rest);        /* c, s, C, S */
extern bool query_processes;                       /* the protocol of several processes is used */
/* A thread as the protocol writes it, and back; -1: all, 0: any. */
void reply_thread(const struct thread *t);
s64 take_thread(const char **at);
u64 take_process(const char *at); /* the number of the process in it, 0: none */
int signal_to_protocol(int sig);
int signal_from_protocol(u64 n);
void file_packet(const char *text);
void reply_error(u32 n);

/* --- stub.c ------------------------------------------------------------------------------------------------------- */
void stub_detach(void);   /* after the answer */
void stub_take_over(u64 pass_signals); /* in a child of fork that gets the debugger */

#endif
