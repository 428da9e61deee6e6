/* SPDX-License-Identifier: Apache-2.0
 * Where the guest's program and its interpreter lie when the engine comes up: from the guest's auxiliary vector and the ELF headers in its memory. Keeps nothing; no malloc
 * (hostmem uses it). */
#include "os/linux/guestimage.h"
#include "os/linux/mapsfile.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* Address range of an ELF image whose program headers are in memory. */
static struct range image_extent(const Elf64_Phdr *ph, u64 n, u64 bias)
{
    struct range r = {~0ul, 0};
    for (u64 i = 0; i < n; i++) {
        if (ph[i].p_type != PT_LOAD)
            continue;
        u64 lo = PAGE_DOWN(bias + ph[i].p_vaddr), hi = PAGE_UP(bias + ph[i].p_vaddr + ph[i].p_memsz);
        r.start = lo < r.start ? lo : r.start;
        r.end = hi > r.end ? hi : r.end;
    }
    return r;
}

/* The program: its headers' place in the file (from the mapping they are in) tells which segment they belong to, and so the bias. */
static struct range program_extent(u64 phdr, u64 n, const struct maps_area *in)
{
    const Elf64_Phdr *ph = (const Elf64_Phdr *)phdr;
    u64 off = in->off + (phdr - in->start);
    for (u64 i = 0; i < n; i++)
        if (ph[i].p_type == PT_LOAD && off >= ph[i].p_offset && off < ph[i].p_offset + ph[i].p_filesz)
            return image_extent(ph, n, phdr - (ph[i].p_vaddr + off - ph[i].p_offset));
    return (struct range){0, 0};
}

static struct range interpreter_extent(u64 base)
{
    const Elf64_Ehdr *eh = (const Elf64_Ehdr *)base;
    if (memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
        return (struct range){0, 0};
    return image_extent((const Elf64_Phdr *)(base + eh->e_phoff), eh->e_phnum, base);
}

static u64 auxv_value(const struct boot_info *boot, u64 type)
{
    const u64 *aux = (const u64 *)boot->guest_auxv;
    for (u64 i = 0; aux && i + 1 < boot->guest_auxv_bytes / sizeof(u64); i += 2)
        if (aux[i] == type)
            return aux[i + 1];
    return 0;
}

/* The two ELF images that the kernel (or the in-process loader) mapped for the guest. */
void guestimage_find(const struct boot_info *boot, struct range images[2])
{
    u64 phdr = auxv_value(boot, AT_PHDR), phnum = auxv_value(boot, AT_PHNUM), base = auxv_value(boot, AT_BASE);
    struct maps_reader r;
    struct maps_area a;
    if (!maps_open(&r, 0))
        die(1, "cannot read /proc/self/maps (error %d); is /proc mounted?", errno);
    while (maps_next(&r, &a)) {
        if (phdr >= a.start && phdr < a.end)
            images[0] = program_extent(phdr, phnum, &a);
        if (base && base >= a.start && base < a.end)
            images[1] = interpreter_extent(base);
    }
    maps_close(&r);
}
