/* SPDX-License-Identifier: Apache-2.0
 * Types, messages and assertions used by every part. No state but the message prefix and the verbosity. Messages go
 * straight to the host's stderr descriptor with one write, so they may be used at any time, also from signal
 * handlers and without a libc (msg_* format without malloc or stdio). */
#ifndef LP_BASE_H
#define LP_BASE_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

typedef u64 gpc_t;       /* an address of guest code */
typedef u64 gva_t;       /* an address of guest data */
typedef u8 *cpc_t;       /* an address in the code cache */

#define PAGE_BYTES 4096ul
#define PAGE_DOWN(x) ((u64)(x) & ~(PAGE_BYTES - 1))
#define PAGE_UP(x) (((u64)(x) + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define NORETURN __attribute__((noreturn))
/* For variables that a fork writes to, in parent and child: they are together, so that few pages are copied (FK5). */
#define FORK_WRITES __attribute__((section("fork_writes")))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* printf subset: %s %c %d %u %x %p %m %ld %lu %lx %zu %%, with width and 0. Returns the length written (without the
 * terminating 0, cut to bytes - 1). */
int base_vformat(char *out, size_t bytes, const char *fmt, va_list ap);
int base_format(char *out, size_t bytes, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* One line "linchpin: ...\n" on the host's stderr. */
void msg(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The world says no: message and exit with status (127 not found, 126 cannot execute, 1 else). */
void die(int status, const char *fmt, ...) PRINTF_LIKE(2, 3) NORETURN;
/* The file that error records go to as well (-error_file), NULL: none; it is appended to. A record has a type (that of
 * the tool's, 0: none), how bad it is, the text and the arguments that the tool gives. */
extern const char *error_file;
extern bool error_file_unique; /* the process' number is added to its name */
void error_record(int type, const char *severity, const char *text, u32 nargs, const char *const *args);
/* An error as the user sees it: with msg. Under the command pin (pin_log is set) also as Pin says it, where scripts
 * look for it: a line with its class (E: an error, A: a bug of ours) on standard output and in the log. error_log is
 * the log's file if one is given and nobody has it open, pin_log the one that errors go to when none is given. */
void report_error(const char *class, const char *text);
extern const char *error_log, *pin_log;
extern const char *pin_lead; /* Pin's words for what the next error is about, in front of ours; "": none */
/* Descriptor that msg writes to (2 until the engine has its own), -1: silent, MSG_FIND: msg_find is asked each time. */
#define MSG_FIND (-2)
extern int msg_fd;
extern int (*msg_find)(bool *close_after); /* async-signal-safe; -1: there is none */
/* The same for those who want to know what the engine does (-log): level 1 has facts of the start, level 2 every
 * trace. The arguments are not evaluated below that level. */
#define log_at(level, ...) do { if (UNLIKELY(log_level >= (level))) msg(__VA_ARGS__); } while (0)
extern int log_level;

/* The caller's mistake: message with the API call's name, reason, and the tool's source line where known; ends the
 * process with status 1. */
void api_misuse(const char *call, const char *file, int line, const char *fmt, ...) PRINTF_LIKE(4, 5) NORETURN;

/* Where the tool's source has called, for calls that do not say it; NULL or false: not known. */
extern bool (*misuse_place)(char *file, size_t bytes, int *line);

/* Our bug: prints the place and the engine's state (through bug_hook when the engine has set it), then aborts with
 * SIGABRT default action. Stays on in release. */
void bug(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4) NORETURN;
extern void (*bug_hook)(void);
#define BUG(...) bug(__FILE__, __LINE__, __VA_ARGS__)
#define ASSERT(c) do { if (UNLIKELY(!(c))) BUG("assertion failed: %s", #c); } while (0)

struct addresses {
    u64 start, end; /* the first, the one after the last */
};
/* Of LOW:HIGH as users write it; false: it is none. */
bool base_addresses(const char *word, struct addresses *to);

static inline bool fits_s32(s64 v) { return v == (s32)v; }

#endif
