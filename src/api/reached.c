/* SPDX-License-Identifier: Apache-2.0
 * Which functions of the API a tool has really called (-api_calls DIR): what the checklist of the tests is made from.
 * The tool's references to the engine are led through stubs that set a mark in a file shared with whoever reads it, so
 * that nothing is lost however the process ends. Calls from the tool's constructors come before it. Rule A55. */
#include "api/reached.h"

#include "arch/arch.h"
#include "linchpin/iarg.h"
#include "opt/rop.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAMES 4096u
#define STUB_BYTES 64ul
#define IARGS (IARG_G_ARGLAST_CALLER + 1u) /* rows for the arguments of analysis calls, after those of the functions */

/* A row of the file. */
struct mark {
    char name[60];
    u32 reached;
};

struct watch {
    struct tool_reference ref[MAX_NAMES];
    u32 n;
};

static struct mark *iarg_marks;
bool reached_on;

static void row_name(const struct watch *w, u32 i, char out[60])
{
    memset(out, 0, 60);
    if (i < w->n)
        strncpy(out, w->ref[i].name, 59);
    else
        base_format(out, 60, "IARG %u", i - w->n);
}

/* Is it a function of the engine, and under which name? */
static const char *engine_function(void *p)
{
    Dl_info info;
    const ElfW(Sym) *sym = NULL;
    if (!p || !dladdr1(p, &info, (void **)&sym, RTLD_DL_SYMENT) || !sym || info.dli_saddr != p)
        return NULL;
    static void *engine;
    Dl_info own;
    if (!engine && dladdr((void *)reached_watch, &own))
        engine = own.dli_fbase;
    return info.dli_fbase == engine && ELF64_ST_TYPE(sym->st_info) == STT_FUNC ? info.dli_sname : NULL;
}

static void take_table(struct watch *w, const struct link_map *map, const ElfW(Rela) *rela, size_t bytes)
{
    for (size_t i = 0; rela && i < bytes / sizeof *rela; i++) {
        if (!ELF64_R_SYM(rela[i].r_info) || rela[i].r_addend)
            continue;
        void **slot = (void **)(map->l_addr + rela[i].r_offset);
        const char *name = engine_function(*slot);
        if (!name)
            continue;
        if (w->n == MAX_NAMES)
            die(1, "the tool refers to more than %u functions", MAX_NAMES);
        w->ref[w->n++] = (struct tool_reference){slot, *slot, name};
    }
}

static void take_references(struct watch *w, void *tool)
{
    struct link_map *map;
    if (dlinfo(tool, RTLD_DI_LINKMAP, &map))
        die(1, "the tool's references cannot be read: %s", dlerror());
    const ElfW(Rela) *jump = NULL, *other = NULL;
    size_t jump_bytes = 0, other_bytes = 0;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_JMPREL: jump = (const void *)d->d_un.d_ptr; break;
        case DT_PLTRELSZ: jump_bytes = d->d_un.d_val; break;
        case DT_RELA: other = (const void *)d->d_un.d_ptr; break;
        case DT_RELASZ: other_bytes = d->d_un.d_val; break;
        }
    take_table(w, map, jump, jump_bytes);
    take_table(w, map, other, other_bytes);
}

static bool same_rows(int fd, const struct watch *w, size_t bytes)
{
    struct stat st;
    if (fstat(fd, &st) || (size_t)st.st_size != bytes)
        return false;
    struct mark m;
    char name[60];
    for (u32 i = 0; i < w->n + IARGS; i++) {
        row_name(w, i, name);
        if (pread(fd, &m, sizeof m, (off_t)(i * sizeof m)) != sizeof m || memcmp(m.name, name, sizeof name) != 0)
            return false;
    }
    return true;
}

/* A new file, which appears complete under its name; another process that runs the same tool may be faster. */
static void make_file(const char *path, const struct watch *w, size_t bytes)
{
    char temporary[4096];
    base_format(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    int fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || ftruncate(fd, (off_t)bytes))
        die(1, "-api_calls: %s cannot be written: %m", temporary);
    for (u32 i = 0; i < w->n + IARGS; i++) {
        struct mark m = {{0}, 0};
        row_name(w, i, m.name);
        if (pwrite(fd, &m, sizeof m, (off_t)(i * sizeof m)) != sizeof m)
            die(1, "-api_calls: %s cannot be written: %m", temporary);
    }
    close(fd);
    if (link(temporary, path) && errno != EEXIST)
        die(1, "-api_calls: %s cannot be made: %m", path);
    unlink(temporary);
}

static int open_file(const char *path, const struct watch *w, size_t bytes)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && same_rows(fd, w, bytes))
        return fd;
    if (fd >= 0) { /* of an older build of the tool */
        close(fd);
        unlink(path);
    }
    make_file(path, w, bytes);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || !same_rows(fd, w, bytes))
        die(1, "-api_calls: %s: another tool of the same name uses it", path);
    return fd;
}

void reached_lead(const struct tool_reference *ref, void *to)
{
    if (mprotect((void *)PAGE_DOWN((u64)ref->slot), PAGE_BYTES, PROT_READ | PROT_WRITE))
        die(1, "a reference of the tool to %s cannot be led elsewhere: %m", ref->name);
    *ref->slot = to;
}

void reached_references(void *tool, void (*each)(const struct tool_reference *, void *arg), void *arg)
{
    struct watch *w = calloc(1, sizeof *w);
    if (!w)
        die(1, "no memory for the tool's references");
    take_references(w, tool);
    for (u32 i = 0; i < w->n; i++)
        each(&w->ref[i], arg);
    free(w);
}

/* Notes that it was passed through and goes on to the function; what a call may lose is all that it uses. */
static void make_stub(u8 *stub, u32 *mark, const void *target)
{
    u32 r = (u32)__builtin_ctz((reg_set)(rop_registers.call_loses & ~rop_registers.call_reads));
    struct emit e = {stub};
    arch_const(&e, r, (u64)mark);
    arch_store_mem_const(&e, r, 0, 1, sizeof *mark);
    ASSERT(e.p + ARCH_FAR_JUMP_BYTES <= stub + STUB_BYTES);
    arch_emit_far_jump(e.p, target);
}

static void redirect(const struct watch *w, int fd, size_t bytes)
{
    size_t stub_bytes = PAGE_UP(w->n * STUB_BYTES);
    u8 *stubs = mmap(NULL, stub_bytes + PAGE_UP(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stubs == MAP_FAILED ||
        mmap(stubs + stub_bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
        die(1, "-api_calls: no memory: %m");
    struct mark *marks = (struct mark *)(stubs + stub_bytes);
    for (u32 i = 0; i < w->n; i++) {
        u8 *stub = stubs + i * STUB_BYTES;
        make_stub(stub, &marks[i].reached, w->ref[i].target);
        reached_lead(&w->ref[i], stub);
    }
    if (mprotect(stubs, stub_bytes, PROT_READ | PROT_EXEC))
        die(1, "-api_calls: %m");
    iarg_marks = marks + w->n;
    reached_on = true;
}

void reached_note_iarg(u32 iarg)
{
    if (iarg < IARGS)
        iarg_marks[iarg].reached = 1;
}

void reached_watch(void *tool, const char *tool_path, const char *dir)
{
    struct watch *w = calloc(1, sizeof *w);
    if (!w)
        die(1, "-api_calls: no memory");
    take_references(w, tool);
    const char *name = strrchr(tool_path, '/');
    name = name ? name + 1 : tool_path;
    const char *end = strstr(name, ".so");
    char path[4096];
    base_format(path, sizeof path, "%s/", dir);
    strncat(path, name, end ? (size_t)(end - name) : sizeof path - strlen(path) - 1);
    size_t bytes = (w->n + IARGS) * sizeof(struct mark);
    if (w->n) {
        int fd = open_file(path, w, bytes);
        redirect(w, fd, bytes);
        close(fd);
    }
    free(w);
}
