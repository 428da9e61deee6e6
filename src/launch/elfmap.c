/* SPDX-License-Identifier: Apache-2.0
 * Reads ELF headers with the kernel's own checks, and says in words what is wrong with a file. Opens files, maps
 * nothing: plan.c does that. */
#include "launch/elfmap.h"
#include "machine_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    u16 machine;
    const char *name;
} machines[] = {
    {EM_386, "an IA-32"},     {EM_X86_64, "an x86-64"}, {EM_AARCH64, "an AArch64"},
    {EM_ARM, "a 32-bit ARM"}, {EM_RISCV, "a RISC-V"},   {EM_PPC64, "a POWER"},
    {EM_PPC, "a PowerPC"},    {EM_S390, "an IBM Z"},    {EM_MIPS, "a MIPS"},
    {EM_SPARC, "a SPARC"},    {EM_SPARCV9, "a SPARC"},  {EM_IA_64, "an Itanium"},
    {EM_BPF, "a BPF"},        {EM_ALPHA, "an Alpha"},   {EM_PARISC, "a PA-RISC"},
    {EM_68K, "an m68k"},      {EM_SH, "a SuperH"},      {258 /* EM_LOONGARCH */, "a LoongArch"},
};

const char *elf_machine_name(u32 machine)
{
    for (size_t i = 0; i < ARRAY_LEN(machines); i++)
        if (machines[i].machine == machine)
            return machines[i].name;
    return "a foreign";
}

static bool read_at(int fd, void *to, u64 bytes, u64 off)
{
    for (u64 done = 0; done < bytes;) {
        ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(off + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (u64)n;
    }
    return true;
}

#ifdef MACHINE_ELF_NARROW
static bool is_narrow(const Elf64_Ehdr *eh, u64 bytes)
{
    return bytes >= sizeof(Elf32_Ehdr) && memcmp(eh->e_ident, ELFMAG, SELFMAG) == 0 &&
           eh->e_machine == MACHINE_ELF_NARROW;
}
#else
static bool is_narrow(const Elf64_Ehdr *eh, u64 bytes) { return (void)eh, (void)bytes, false; }
#endif

/* The header of a 32-bit file in the 64-bit form. */
static enum elf_status widen_header(Elf64_Ehdr *eh, const char **why)
{
    Elf32_Ehdr h;
    memcpy(&h, eh, sizeof h);
    if (h.e_type != ET_EXEC && h.e_type != ET_DYN) {
        eh->e_type = h.e_type;
        return ELF_OTHER_TYPE;
    }
    *why = "its program headers have a wrong size";
    if (h.e_phentsize != sizeof(Elf32_Phdr) || h.e_phnum > ELF_MAX_PHDRS)
        return ELF_CORRUPT;
    eh->e_entry = h.e_entry;
    eh->e_phoff = h.e_phoff;
    eh->e_shoff = h.e_shoff;
    eh->e_phnum = h.e_phnum;
    eh->e_phentsize = h.e_phentsize;
    *why = "it has no program headers";
    return h.e_phnum ? ELF_OK : ELF_CORRUPT;
}

static void widen_segments(struct elf_image *im)
{
    Elf32_Phdr p;
    for (int i = im->eh.e_phnum; i-- > 0;) {
        memcpy(&p, (u8 *)im->ph + (size_t)i * sizeof p, sizeof p);
        im->ph[i] = (Elf64_Phdr){.p_type = p.p_type, .p_flags = p.p_flags, .p_offset = p.p_offset, .p_vaddr = p.p_vaddr,
            .p_paddr = p.p_paddr, .p_filesz = p.p_filesz, .p_memsz = p.p_memsz, .p_align = p.p_align};
    }
}

static enum elf_status check_header(const Elf64_Ehdr *eh, u64 bytes, const char **why)
{
    if (bytes < SELFMAG || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
        return ELF_NOT_ELF;
    *why = "the file is cut short";
    if (bytes < sizeof(Elf32_Ehdr))
        return ELF_CORRUPT;
    /* e_type, e_machine and e_version lie at the same place in both classes */
    bool wide = eh->e_ident[EI_CLASS] == ELFCLASS64;
    if (eh->e_machine != MACHINE_ELF) /* or it is in the other byte order */
        return ELF_OTHER_MACHINE;
    if (bytes < sizeof *eh)
        return ELF_CORRUPT;
    /* An x32 program; the kernel looks neither at the class nor at the byte order. */
    if (!wide && eh->e_phentsize != sizeof(Elf64_Phdr))
        return ELF_X32;
    if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
        return ELF_OTHER_TYPE;
    *why = "its program headers have a wrong size";
    if (eh->e_phentsize != sizeof(Elf64_Phdr) || eh->e_phnum > ELF_MAX_PHDRS)
        return ELF_CORRUPT;
    *why = "it has no program headers";
    return eh->e_phnum ? ELF_OK : ELF_CORRUPT;
}

/* What the kernel demands even of an empty segment. */
static bool size_is_possible(const struct elf_image *im, const Elf64_Phdr *ph)
{
    u64 end = im->narrow ? NARROW_END : USER_END;
    return ph->p_filesz <= ph->p_memsz && ph->p_vaddr < end && ph->p_memsz <= end - ph->p_vaddr;
}

static const char *note_load(struct elf_image *im, const Elf64_Phdr *ph, bool first)
{
    u64 end = ph->p_vaddr + ph->p_memsz, file_end = ph->p_vaddr + ph->p_filesz;
    if ((ph->p_vaddr ^ ph->p_offset) % PAGE_BYTES)
        return "a segment is not page-aligned";
    if (ph->p_filesz && ph->p_memsz > ph->p_filesz && ph->p_flags & PF_W && file_end % PAGE_BYTES &&
        PAGE_DOWN(ph->p_offset + ph->p_filesz) >= im->file_bytes)
        return "the file is cut short"; /* the rest of that page would have to be set to 0, and the page is not there */
    if (first || PAGE_DOWN(ph->p_vaddr) < im->lo)
        im->lo = PAGE_DOWN(ph->p_vaddr);
    if (PAGE_UP(end) > im->hi)
        im->hi = PAGE_UP(end);
    if (ph->p_align > im->align && !(ph->p_align & (ph->p_align - 1)))
        im->align = ph->p_align;
    if (ph->p_offset <= im->eh.e_phoff && im->eh.e_phoff < ph->p_offset + ph->p_filesz)
        im->phdr_vaddr = im->eh.e_phoff - ph->p_offset + ph->p_vaddr;
    /* as the kernel counts them: executable segments are code, the last one is data */
    if (ph->p_flags & PF_X) {
        if (!im->end_code || ph->p_vaddr < im->start_code)
            im->start_code = ph->p_vaddr;
        if (file_end > im->end_code)
            im->end_code = file_end;
    }
    if (ph->p_vaddr > im->start_data)
        im->start_data = ph->p_vaddr;
    if (file_end > im->end_data)
        im->end_data = file_end;
    if (end > im->end_bss)
        im->end_bss = end;
    return NULL;
}

static const char *note_interp(struct elf_image *im, int fd, const Elf64_Phdr *ph)
{
    if (ph->p_filesz < 2 || ph->p_filesz > sizeof im->interp || !read_at(fd, im->interp, ph->p_filesz, ph->p_offset) ||
        im->interp[ph->p_filesz - 1] || !im->interp[0])
        return "the name of its interpreter is damaged";
    return NULL;
}

/* The kernel reserves a place for the whole image when it maps the first segment: without one, what has no fixed
 * place is put at 0. */
static bool has_place(const struct elf_image *im)
{
    const Elf64_Phdr *first = im->ph;
    while (first->p_type != PT_LOAD)
        first++;
    return im->eh.e_type == ET_EXEC || im->interp[0] || first->p_filesz;
}

static const char *scan_headers(struct elf_image *im, int fd)
{
    if (!read_at(fd, im->ph, (u64)im->eh.e_phnum * im->eh.e_phentsize, im->eh.e_phoff))
        return "the file is cut short";
    if (im->narrow)
        widen_segments(im);
    bool first = true, interp = false;
    for (int i = 0; i < im->eh.e_phnum; i++) {
        const Elf64_Phdr *ph = &im->ph[i];
        const char *why = NULL;
        if (ph->p_type == PT_LOAD && !size_is_possible(im, ph))
            return "a segment has an impossible size";
        if (ph->p_type == PT_LOAD && ph->p_memsz) {
            why = note_load(im, ph, first);
            first = false;
        } else if (ph->p_type == PT_INTERP && !interp) {
            why = note_interp(im, fd, ph);
            interp = true;
        } else if (ph->p_type == PT_GNU_STACK) {
            im->exec_stack = ph->p_flags & PF_X;
        }
        if (why)
            return why;
    }
    if (first)
        return "it has nothing to load";
    return has_place(im) ? NULL : "its first segment is empty";
}

enum elf_status elf_read(struct elf_image *im, const char *path, const char **why)
{
    size_t len = strlen(path);
    if (len >= sizeof im->path) {
        errno = ENAMETOOLONG;
        return ELF_UNREADABLE;
    }
    memcpy(im->path, path, len + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return ELF_UNREADABLE;
    struct stat file;
    ssize_t n = fstat(fd, &file) < 0 ? -1 : read(fd, &im->eh, sizeof im->eh);
    im->file_bytes = n < 0 ? 0 : (u64)file.st_size;
    im->narrow = n > 0 && is_narrow(&im->eh, (u64)n);
    enum elf_status st = n < 0       ? ELF_UNREADABLE
                         : im->narrow ? widen_header(&im->eh, why)
                                      : check_header(&im->eh, (u64)n, why);
    if (st == ELF_OK && (*why = scan_headers(im, fd)))
        st = ELF_CORRUPT;
    int err = errno;
    close(fd);
    errno = err;
    return st;
}

bool elf_has_holes(const struct elf_image *im)
{
    u64 end = im->lo;
    for (int i = 0; i < im->eh.e_phnum; i++) {
        const Elf64_Phdr *ph = &im->ph[i];
        if (ph->p_type != PT_LOAD || !ph->p_memsz)
            continue;
        if (PAGE_DOWN(ph->p_vaddr) > end)
            return true;
        end = PAGE_UP(ph->p_vaddr + ph->p_memsz);
    }
    return im->align > PAGE_BYTES;
}
