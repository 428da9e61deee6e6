/* SPDX-License-Identifier: Apache-2.0
 * What a debugger's stub (src/debug) asks of the operating system: a connection, the guest's memory whatever its
 * protection, the signal that a guest thread is about to get. Descriptors are the host's and hidden from the guest. */
#ifndef LP_OS_DEBUGPORT_H
#define LP_OS_DEBUGPORT_H
#include "base/base.h"

#include <signal.h>

/* --- connections -------------------------------------------------------------------------------------------------- */
/* Waits for debuggers at a TCP port of this machine (0: any free one; *port gets it), of all its addresses if `remote`;
 * or at a socket with that path. Returns a descriptor, -1: no (errno). */
int debugport_listen_tcp(u32 *port, bool remote);
int debugport_listen_path(const char *path);
/* Connects to a debugger that waits at host:port. -1: no (errno). */
int debugport_connect(const char *host, u32 port);
/* A connection that has come; -1: none. */
int debugport_accept(int listening);
void debugport_close(int fd);
/* A connection that the program has from another one, as the host's own; -1: it is none. */
int debugport_adopt(int fd);
/* Waits for any of up to 8 descriptors (-1: none), so many milliseconds (-1: for good); a set bit for each that has
 * something. */
u32 debugport_wait(const int *fd, u32 n, int ms);
s64 debugport_read(int fd, void *to, size_t bytes); /* 0 or less: the connection is gone */
/* Throws away what has come, if it is still there: another thread may have read it. False: the connection is gone. */
bool debugport_drop(int fd);
bool debugport_write(int fd, const void *from, size_t bytes);
bool debugport_pair(int fd[2]); /* connected with each other */
/* Wakes a waiter; from any guest thread. */
int debugport_bell(void);
void debugport_ring(int bell);
void debugport_hear(int bell);

/* --- files, as the guest sees them -------------------------------------------------------------------------------- */
#define DEBUGPORT_FILES 32u /* may be open at once */
struct debugport_stat {
    u64 size, blocks;
    u32 device, inode, mode, links, user, group, special, block_bytes, accessed, modified, changed;
};
/* For reading. A number below DEBUGPORT_FILES, or -errno. */
int debugport_file_open(const char *path);
s64 debugport_file_read(u32 file, u64 at, void *to, size_t bytes); /* bytes read, or -errno */
int debugport_file_stat(u32 file, struct debugport_stat *out);     /* 0 or -errno */
int debugport_file_close(u32 file);
void debugport_files_close(void);
s64 debugport_readlink(const char *path, char *to, size_t bytes);  /* bytes, or -errno */

/* --- the process -------------------------------------------------------------------------------------------------- */
/* Copies the guest's memory, also where it may not be read or written. Returns how many bytes. What is the host's is
 * not there. */
size_t debugport_read_memory(u64 at, void *to, size_t bytes);
size_t debugport_write_memory(u64 at, const void *from, size_t bytes);
/* What the guest has mapped at an address, with one protection; or where it has nothing. */
struct debugport_region {
    u64 start, end;
    bool mapped, read, write, execute;
};
void debugport_region(u64 at, struct debugport_region *out);
int debugport_pid(void);
int debugport_parent(void);
void debugport_thread_name(int tid, char *out, size_t room); /* "": not known */
const char *debugport_program(void); /* the guest's file */
void debugport_kill_child(int pid);
int debugport_child_status(int pid); /* of its end, for which its parent can wait as before; less than 0: by a signal */
/* The debugger gives this signal to the calling thread. */
siginfo_t debugport_signal(int sig);
/* Sends it to another thread. */
void debugport_send(int pid, int tid, int sig);
/* Signals that end the process by default come to the engine whatever the guest does with them. */
void debugport_watch_signals(void);
/* A line for whoever started the program, on its standard output. */
void debugport_say(const char *text);
void debugport_say_ready(int fd); /* one byte, and closes it */

#endif
