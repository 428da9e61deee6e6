/* SPDX-License-Identifier: Apache-2.0
 * The linchpin command, module-wide declarations. The way: options.c reads the command line, program.c finds and
 * checks the program, host.c lays out the host side (ld.so, engine, host stack, boot block) as a plan of system
 * calls and memory writes, and inject.c (ptrace) or inproc.c (no ptrace) carries the plan out. The command is a
 * static program without threads; nothing here calls malloc, because in-process loading gives the break to the
 * guest. */
#ifndef LP_LAUNCH_H
#define LP_LAUNCH_H
#include "launch/elfmap.h"
#include "launch/machine.h"

#include <limits.h>

#ifndef LP_VERSION
#define LP_VERSION "0.1.0"
#endif

/* --- options.c ---------------------------------------------------------------------------------------------------- */
enum injection { INJECT_AUTO, INJECT_PTRACE, INJECT_INPROC };

struct launch {
    enum injection injection;
    const char *exec_path; /* -exec-path: run exactly this file, argv complete */
    int pid;               /* -pid; 0: launch a program */
    bool attach_status, progress;
    bool privileged_natively;
    void (*show)(void);    /* -help, -version: done when all words are read; NULL: neither is given */
    const char *provoke;   /* -error, -fatal, -assert: the error that is asked for; NULL: none */
    const char *tool;      /* NULL: none */
    const char *narrow_tool, *wide_tool; /* instead of it, for programs of one kind */
    bool tool_help;        /* the tool is asked for its options */
    const char *first_word; /* of the program's argv; known before the options are read */
    char **argv;           /* the program's */
    int argc;
};

/* Reads the command line; engine options and tool arguments go into the boot block. Prints and exits for -help,
 * -version and mistakes. */
void options_parse(struct launch *l, int argc, char **argv);

/* A process' number; else message and exit 1. */
int options_pid(const char *for_what, const char *word);
/* The tool of that name or file, as an absolute path. */
const char *options_tool(const char *name);
u32 options_seconds(const char *for_what, const char *word);

/* --- program.c ---------------------------------------------------------------------------------------------------- */
#define SCRIPT_DEPTH 5                       /* rewrites that the kernel allows */
#define SCRIPT_WORDS (2 * SCRIPT_DEPTH + 1)  /* argv words that #! lines can put before the program's own */

struct program {
    char path[PATH_MAX];            /* what exec gets, and so AT_EXECFN and the process' name */
    char file[PATH_MAX];            /* the ELF file that runs: path, or the last #! interpreter */
    char lines[SCRIPT_DEPTH][256];  /* #! lines, cut into words in place */
    const char *head[SCRIPT_WORDS + 1];
    int nhead;                      /* words that replace argv[0]; 0: no script */
    char **argv;
    struct elf_image elf, interp;   /* interp.path empty: none */
};

/* Finds the program as execvp would and checks that it can run here; otherwise one message and exit 126 or 127. */
void program_resolve(struct program *p, const struct launch *l);
/* Exec has refused the program after all: prints the message and ends. */
void program_exec_failed(const struct program *p, int err) NORETURN;
void program_run_natively(const struct program *p) NORETURN;
/* Ends with a message: the program would be without the privileges that its file gives it. */
void program_refuse_privileged(const struct program *p) NORETURN;
/* -t: an ELF64 x86-64 shared object, else message and exit 1. */
void program_check_tool(const char *path);
/* Would execvp find it in PATH? */
bool program_in_path(const char *name);

/* --- stack.c: an initial stack as the kernel lays it out ---------------------------------------------------------- */
#define AUXV_MAX 64

struct auxv {
    u64 word[2 * AUXV_MAX]; /* pairs, AT_NULL included */
    int words;
};
struct stack_spec {
    u64 top;                 /* end of the stack mapping */
    const char *execfn;
    const char *const *head; /* words in place of argv[0], or NULL */
    int nhead;
    char **argv, **envp;
    bool narrow;             /* of a program with words of 4 bytes */
    bool host_env;           /* leave out what steers the dynamic linker, add our own */
    u64 slide;               /* random bytes between the strings and the rest (0 without randomisation) */
    struct auxv *auxv;       /* AT_EXECFN, AT_PLATFORM and AT_RANDOM are set by the builder */
};
struct stack_image {
    const u8 *mem;           /* `bytes` bytes that go to sp */
    u64 bytes, sp, arg_start, arg_end, env_start, env_end, auxv;
};
u64 *auxv_find(struct auxv *a, u64 tag); /* the value's place, NULL: not there */
void auxv_set(struct auxv *a, u64 tag, u64 value); /* only when the tag is there */
void auxv_add_first(struct auxv *a, u64 tag, u64 value);
void auxv_add(struct auxv *a, u64 tag, u64 value); /* before AT_NULL */
void auxv_copy(struct auxv *a, const u64 *words);
/* What a buffer for the image must hold. */
u64 stack_bound(const struct stack_spec *s);
void stack_build(const struct stack_spec *s, u8 *buf, u64 bytes, struct stack_image *out);

/* --- host.c: the host side ---------------------------------------------------------------------------------------- */
extern struct boot_info boot; /* what the engine will read; filled here, by options.c, and by the way in */
void boot_add_word(const char *word);

struct host_layout {
    struct boot_range placeholder; /* between the guest's mappings and the zone; may be empty */
    struct boot_range zone;        /* guard, stack, block, engine, ld.so */
    u64 extra;                     /* host_set_extra's */
    u64 stack_lo, stack_top, block, engine_bias, ldso_bias;
    u64 sp, entry;                 /* where the host starts */
    bool downwards;                /* the kernel fills the mmap area from the top, as it does unless told otherwise */
    u32 brk_op;                    /* index in the plan of the call whose result is the guest's break */
};

/* Finds the engine beside the launcher and reads the headers of the engine and of its ld.so. Called before anything
 * irreversible is done. Fills the boot block's constant part. */
void host_prepare(void);
/* The host's libc is not told of the vdso, which goes with all that is the guest's (-replay). */
extern bool host_without_vdso;
/* "" when it cannot be found (doctor). */
const char *host_find_engine(void);
/* PREFIX/relative, PREFIX being what the launcher's bin directory is in; is it there? */
bool launcher_find(char out[PATH_MAX], const char *relative);
/* Sizes of the placeholder to try: first the one that puts the zone where no program wants to be, and, where that
 * cannot be had, others, largest first; the last is 0, none. */
#define HOST_PLACEHOLDER_TOP 0
#define HOST_PLACEHOLDERS 11
#define HOST_MIN_GAP (1ul << 30) /* a free gap that is smaller is a hole between mappings */
/* False: there is none of number i at this edge, or it would leave too little of the address space that the process
 * may have. */
bool host_placeholder(int i, u64 edge, bool downwards, u64 *bytes);
/* For messages about ENOMEM: "" or a text about the limits that the process has. */
const char *host_limit_hint(int err);
/* After host_lift_limits: "" or the same text, when it is not worth trying. */
const char *host_limit_error(void);
/* Does the kernel fill its mmap area downwards? Found by comparing the address that it gave now with what it mapped
 * at exec. */
bool host_area_downwards(u64 now, struct auxv *guest, u64 sp);
/* Zone and placeholder next to `edge`: below it when the area is filled downwards, else above it. */
void host_layout_at(struct host_layout *h, u64 edge, bool downwards, u64 placeholder_bytes);
/* System calls and writes that make the host side. boot must be complete but for brk. The first call reserves the
 * whole range and is the only one that depends on what is free. */
void host_plan(struct plan *p, struct host_layout *h, const struct auxv *guest);
/* Fills the holes of the guest's mmap area too, when the program is one that has them: what host ld.so maps would
 * fall in there. An empty plan: there is nothing to do. */
void host_plan_holes(struct plan *p, const struct host_layout *h, const struct program *prog, int pid);
void host_set_exe(const char *path);
/* Notes where program and interpreter lie, because that cannot be found in memory when their headers are not mapped. */
void host_set_images(const struct program *p, u64 bias, u64 interp_bias);
/* Attach: memory that goes into the process too, with the guest's auxv at an offset. Before host_plan. */
void host_set_extra(const void *mem, u64 bytes, u64 auxv_at);
/* Memory for the launcher itself, far from the program's places. host_own_memory: all of it. */
void *host_map_own(u64 bytes);
struct boot_range host_own_memory(void);
/* Notes the process' memory limits in the boot block and raises them for the engine as far as they go. pid 0: this
 * one. */
void host_lift_limits(int pid);

/* --- maps.c: /proc/PID/maps --------------------------------------------------------------------------------------- */
struct map_line {
    u64 start, end;
    const char *name; /* "" when it has none */
};
/* Calls fn for every line until it returns false. False: cannot be read. */
bool maps_each(int pid, bool (*fn)(const struct map_line *line, void *arg), void *arg);
/* Gaps below the stack and above `from`, at most `max`; how many. */
int maps_gaps(int pid, u64 from, struct boot_range *out, int max);
/* Where the next free gap of that size begins, seen from `from`: the upper end of one below it, or the lower end of
 * one above it. 0: none. */
u64 maps_find_edge(int pid, u64 from, bool downwards, u64 bytes);

/* --- the ways in -------------------------------------------------------------------------------------------------- */
/* Returns an errno when ptrace is refused before the program was executed; else does not return. */
int inject_launch(const struct program *p);
void inproc_launch(const struct program *p) NORETURN;
/* Would the kernel let a child trace us? Tries it on a child of its own: 0 or errno (doctor). */
int inject_probe(void);

/* child.c: a program that runs beside the command. Its status as the shell has it. */
int child_start(char **argv);
int child_status(int pid);

int doctor_main(int argc, char **argv);
int points_main(int argc, char **argv);
int pinpoints_main(int argc, char **argv);
int record_main(int argc, char **argv); /* record.c */
int replay_main(int argc, char **argv);
int system_main(int argc, char **argv);

/* --- running processes -------------------------------------------------------------------------------------------- */
#define DETACH_SECONDS 30 /* for threads that are in routines of the tool */
/* The words after `detach`. */
int detach_main(int argc, char **argv);
/* dump.c: the words after `dump`. */
int dump_main(int argc, char **argv);
/* Ends with a message where /proc is not mounted. */
void need_proc(void);
/* patch.c: the words after `patch`. For the engine in probe mode: changes code while all threads stand still. */
int patch_main(int argc, char **argv);
/* -pid: 0 once the tool runs in the process. */
int attach_main(int pid);


/* --- building tools ----------------------------------------------------------------------------------------------- */
/* Does a C++ source need the names of Pin 2 (compat.c)? */
bool compat_needed(const char *path);
/* The words after `cc` and `new`. */
int cc_main(int argc, char **argv);
int newtool_main(int argc, char **argv);
int gdb_main(int argc, char **argv); /* what comes after `linchpin gdb` */

#endif
