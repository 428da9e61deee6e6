/* SPDX-License-Identifier: Apache-2.0
 * ELF files read and turned into plans. A plan is a list of system calls with fixed addresses and a list of memory
 * writes after them; it can be carried out in this process (plan_run) or in a traced one (remote.c), so there is one
 * way to map an ELF file. */
#ifndef LP_ELFMAP_H
#define LP_ELFMAP_H
#include "base/base.h"

#include <elf.h>
#include <limits.h>

#define ELF_MAX_PHDRS (65536 / sizeof(Elf64_Phdr)) /* the kernel's limit */

struct elf_image {
    char path[PATH_MAX];
    char interp[PATH_MAX];  /* PT_INTERP, "" when there is none */
    Elf64_Ehdr eh;
    Elf64_Phdr ph[ELF_MAX_PHDRS];
    u64 file_bytes;
    u64 lo, hi;             /* page-rounded extent of the PT_LOADs, as linked */
    u64 align;              /* largest p_align of a PT_LOAD that is a power of two */
    u64 phdr_vaddr;         /* program headers in memory, as linked */
    u64 start_code, end_code, start_data, end_data, end_bss;
    bool narrow;            /* ELFCLASS32: an IA-32 image, its headers in the 64-bit form here */
    bool exec_stack;        /* PT_GNU_STACK asks for an executable stack */
};

enum elf_status {
    ELF_OK,
    ELF_UNREADABLE,     /* errno says why */
    ELF_NOT_ELF,        /* some other kind of file */
    ELF_X32,            /* x86-64 code with 32-bit pointers */
    ELF_OTHER_MACHINE,  /* eh.e_machine tells which */
    ELF_OTHER_TYPE,     /* relocatable object or core file: eh.e_type */
    ELF_CORRUPT,        /* *why says in which way */
};

/* Reads and checks the headers of `path`. `why` gets a phrase for ELF_CORRUPT. */
enum elf_status elf_read(struct elf_image *im, const char *path, const char **why);
const char *elf_machine_name(u32 machine);
/* Does the kernel leave unmapped pages between or around its segments? */
bool elf_has_holes(const struct elf_image *im);

/* --- plans -------------------------------------------------------------------------------------------------------- */
#define PLAN_OPS 64
#define PLAN_MEMS 40
#define PLAN_TEXT (2 * PATH_MAX + 256)

/* One system call. The layout is known to the assembly in remote.c. */
struct plan_op {
    u64 nr, arg[6];
    u64 result;
    /* Before the call the word at `from` is copied to `into` (an earlier result to an argument); 0: nothing. */
    u64 from, into;
};
/* What the executing process must be able to read and write while it runs the calls. */
struct plan_page {
    struct plan_op op[PLAN_OPS];
    char text[PLAN_TEXT];
};
struct plan_mem {
    u64 dst;
    const void *src; /* NULL: zeros */
    u64 bytes;
};
struct plan {
    struct plan_page page;
    u64 at;          /* where `page` is for the executing process */
    u32 ops, mems, text;
    const char *what[PLAN_OPS]; /* what a call is about, for messages */
    struct plan_mem mem[PLAN_MEMS];
};

void plan_init(struct plan *p, u64 at); /* at 0: this process */
u32 plan_call(struct plan *p, const char *what, u64 nr, const u64 arg[6]); /* its index */
void plan_mmap(struct plan *p, const char *what, u64 addr, u64 bytes, int prot, int flags);
void plan_write(struct plan *p, u64 dst, const void *src, u64 bytes);
/* Fails where so much memory cannot be had, and takes none. */
void plan_room(struct plan *p, const char *what, u64 bytes);
/* Maps the PT_LOADs at linked address + bias. `first`: extra mmap flag for the first one (MAP_FIXED_NOREPLACE or
 * MAP_FIXED). Holes are left alone. */
void plan_elf(struct plan *p, const struct elf_image *im, u64 bias, int first);
/* Room for an image's calls in an otherwise empty plan? */
bool plan_fits(const struct elf_image *im);
/* Carries the calls out in this process, up to the first failure (its index, or -1), and then the writes. */
int plan_run(struct plan *p);

#endif
