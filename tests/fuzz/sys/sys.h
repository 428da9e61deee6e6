/* SPDX-License-Identifier: Apache-2.0
 * The system call fuzzer's guest: what its files share. A case is a child process that makes a sequence of calls; everything it does follows from (seed, case, step), and it
 * runs without the C library, which its calls may have left without a thread pointer, a heap or descriptors. */
#ifndef SYS_FUZZ_H
#define SYS_FUZZ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;
typedef uint8_t u8;

#define PAGE 4096ul
#define ARENA 0x10000000000ul /* for the memory calls: nothing else within a terabyte */
#define ARENA_PAGES 64ul
#define DATA 0x20000000000ul  /* buffers: each two pages, then one that is not there */
#define BUFFERS 3
#define BUFFER_PAGES 2ul
#define BUFFER_STRIDE (4 * PAGE)
#define READ_ONLY (DATA + BUFFERS * BUFFER_STRIDE) /* a page that may only be read, then one without rights */
#define NO_ACCESS (READ_ONLY + PAGE)
#define HOLE (DATA + (1ul << 30))
#define STACKS 0x28000000000ul /* for children of clone and for signal handlers */
#define STACK_BYTES (16 * PAGE)
#define LOG 0x30000000000ul   /* shared with the process that prints it */
#define LOG_BYTES (1ul << 20)
#define OWN_FDS 18            /* descriptors that a case begins with: 0 up to here */
#define MAX_STEPS 40

/* --- the table (sys_table.c) --------------------------------------------------------------------------------------- */

enum family { FAM_FD, FAM_FILE, FAM_MEM, FAM_SIG, FAM_PROC, FAM_TIME, FAM_NET, FAM_SELF, FAM_MISC, FAMILIES };

/* What is compared of a call. */
enum {
    VALUE = 1,  /* the result itself; without it: only success, or which error */
    OUTPUT = 2, /* what it has written; without it: only that it has not written in front of its buffers */
    CHILD = 4,  /* makes a child that ends at once; the child is waited for */
};

enum kind {
    K_NONE, K_RAND, K_INT, K_ENUM, K_FLAGS, K_FD, K_DIRFD, K_PATH, K_OUT, K_IN, K_LEN, K_SIG, K_SIGSET, K_SETSIZE, K_ACTION, K_ALTSTACK, K_PID, K_ADDR, K_BYTES, K_PROT,
    K_MAPFLAGS, K_TIMEOUT, K_ITIMER, K_IOVEC, K_MSG, K_SOCKADDR, K_EPOLL_EVENT, K_RLIMIT, K_CLONE_ARGS, K_CLONE_FLAGS, K_CLONE_STACK, K_TLS, K_OPEN_HOW, K_WORD, K_ARGV, K_CLOCK,
    K_SIGINFO, K_POLLFDS, K_SIGEVENT, K_OFFSET, K_FLOCK, K_BREAK, K_SELFPATH, K_MASK_PAIR, K_STRING,
};

/* kind, and for some a parameter: flags that are valid, or the lowest and the highest value */
#define FLAGS(mask) (K_FLAGS | (u64)(mask) << 8)
#define ENUM(low, high) (K_ENUM | (u64)(low) << 8 | (u64)(high) << 32)

struct call_info {
    u32 nr;
    u8 family, compare;
    const char *name;
    u64 arg[6];
};

extern const struct call_info call_table[];
extern const u32 calls_known;

/* --- one step ------------------------------------------------------------------------------------------------------- */

struct call { /* sys_call.S knows the offsets */
    u64 nr, arg[6];  /* 0 */
    u64 result;      /* 56 */
    u64 after[16];   /* 64: rax rcx rdx rbx rsp rbp rsi rdi r8 .. r15 */
    u64 flags_before, flags_after; /* 192 */
    u64 exits;       /* 208: a child ends at once */
    u64 sp;          /* 216 */
    u64 xmm[2][2];   /* 224: xmm0 and xmm15 after it */
};
extern char sys_after_call[], sys_load_at[], sys_store_at[], sys_probe_failed[], sys_restorer[];
void sys_call_recorded(struct call *c);
u64 sys_probe_load(u64 addr, u64 *value); /* 0: faulted */
u64 sys_probe_store(u64 addr, u64 value);
u64 sys_probe_run(u64 addr);
s64 sys_raw(u64 nr, ...);

struct random {
    u64 state;
};
u64 rnd(struct random *r);
u64 rnd_below(struct random *r, u64 n);
bool rnd_chance(struct random *r, u32 percent);

struct state {
    u64 seed, number; /* of the case */
    u32 step;
    bool dump;
    u64 pid, parent, child; /* last one made */
    u64 last_map;  /* where the kernel put the last mapping that it chose the place for */
    u64 brk;       /* at the beginning */
    u64 engine;    /* an address inside the engine, natively of nothing */
};
extern struct state st;

void arguments_make(struct random *r, const struct call_info *info, struct call *c);
void call_tame(struct call *c); /* nothing blocks for ever or uses the machine up */
void buffers_reset(void);
void buffers_note(void); /* as they are before the call */
u64 buffers_hash(void);
bool buffers_guarded(const struct call *c);

void case_setup(void);
void case_state(void);      /* the process as it sees itself */
bool step_special(struct random *r); /* instead of a call: memory, code */
void handler(int sig, void *info, void *context);
void handlers_flush(void); /* what they have said goes to the log */

/* --- the log ---------------------------------------------------------------------------------------------------------- */
void say(const char *text);
void say_clear(void);
void say_number(s64 value);
void say_hex(u64 value);
u64 hash_bytes(u64 seed, const void *from, size_t bytes);
#endif
