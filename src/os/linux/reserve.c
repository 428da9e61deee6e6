/* SPDX-License-Identifier: Apache-2.0
 * -reserve_memory: ranges of addresses that a file names are made memory of the guest's before it starts, so that
 * it, or the tool, may use them as they were used when the file was written. What is mapped there already stays as it
 * is. On the first thread, before any other exists. */
#include "os/linux/reserve.h"

#include "arch/arch.h"
#include "os/gmap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Not by libc's function, whose mappings are the host's (M6). */
static void reserve(u64 start, u64 end)
{
    int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    s64 r = arch_raw_syscall(SYS_mmap, start, end - start, PROT_READ | PROT_WRITE, (u64)how, (u64)-1, 0);
    if (r < 0)
        log_at(1, "option -reserve_memory: %lx-%lx is left as it is: %s", start, end, strerror((int)-r));
    else
        gmap_add(&(struct gmap_area){.start = start, .end = end, .flags = GMAP_READ | GMAP_WRITE});
}

/* Two addresses in hexadecimal at the start of a line; the rest of it is for people. */
void reserve_ranges(const char *path)
{
    char line[256];
    u64 start, end, number = 0;
    FILE *f = fopen(path, "re");
    if (!f)
        die(1, "option -reserve_memory: %s cannot be read: %s", path, strerror(errno));
    while (fgets(line, sizeof line, f)) {
        number++;
        if (sscanf(line, "%lx %lx", &start, &end) != 2)
            die(1, "option -reserve_memory: line %lu of %s does not begin with two addresses", number, path);
        start = PAGE_DOWN(start);
        end = PAGE_UP(end);
        if (start < end)
            reserve(start, end);
    }
    fclose(f);
}
