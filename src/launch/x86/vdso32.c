/* SPDX-License-Identifier: Apache-2.0
 * The vdso of an IA-32 program. The kernel gives this process, which is a 64-bit one, that of 64-bit programs; on
 * demand it maps the other one instead, with its data. Called before the program's stack is built; no state. */
#include "launch/launch.h"
#include "launch/machine.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAP_VDSO_32 = 0x2002 }; /* of arch_prctl, in kernels with checkpoint and restore */

/* Where the vdso's mappings are. */
struct pieces {
    u64 start, end, code; /* all of them; the one with code */
};

static bool note_piece(const struct map_line *m, void *arg)
{
    struct pieces *p = arg;
    bool code = strcmp(m->name, "[vdso]") == 0;
    if (!code && strncmp(m->name, "[vvar", 5) != 0)
        return true;
    p->start = p->start ? p->start : m->start;
    p->end = m->end;
    if (code)
        p->code = m->start;
    return true;
}

static bool find_pieces(struct pieces *p)
{
    *p = (struct pieces){0};
    return maps_each(getpid(), note_piece, p) && p->code;
}

/* The address of a function in an image that is mapped as it is in its file; 0: there is none. */
static u64 find_function(u64 image, const char *name)
{
    const Elf32_Ehdr *eh = (const Elf32_Ehdr *)image;
    if (memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0 || eh->e_ident[EI_CLASS] != ELFCLASS32)
        return 0;
    const Elf32_Shdr *section = (const Elf32_Shdr *)(image + eh->e_shoff);
    for (u32 i = 0; i < eh->e_shnum; i++) {
        const Elf32_Sym *symbol = (const Elf32_Sym *)(image + section[i].sh_offset);
        if (section[i].sh_type != SHT_DYNSYM)
            continue;
        const char *names = (const char *)(image + section[section[i].sh_link].sh_offset);
        for (u32 n = 0; n < section[i].sh_size / sizeof *symbol; n++)
            if (strcmp(names + symbol[n].st_name, name) == 0)
                return image + symbol[n].st_value;
    }
    return 0;
}

u64 machine_narrow_vdso(struct boot_info *boot)
{
    struct pieces own, other;
    if (!find_pieces(&own) || syscall(SYS_arch_prctl, MAP_VDSO_32, 0) != -1 || errno != EEXIST)
        return 0; /* a kernel that can do it says that there is one */
    u64 place = machine_narrow_place(own.end - own.start);
    if (!place || munmap((void *)own.start, own.end - own.start) != 0)
        return 0;
    if (syscall(SYS_arch_prctl, MAP_VDSO_32, place) <= 0 || !find_pieces(&other))
        return 0;
    u64 call = find_function(other.code, "__kernel_vsyscall");
    if (other.end > 1ul << 32 || !call) {
        munmap((void *)other.start, other.end - other.start);
        return 0;
    }
    boot->narrow_vdso = (struct boot_narrow_vdso){call, find_function(other.code, "__kernel_sigreturn"),
        find_function(other.code, "__kernel_rt_sigreturn")};
    return other.code;
}
