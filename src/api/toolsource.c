/* SPDX-License-Identifier: Apache-2.0
 * The tool's own source, for messages about its mistakes: which line of it has called the API, and how many parameters
 * an analysis routine has. Lines come from the tool's debug information (libdw), the number of parameters from the
 * C++ names in its symbol table, else from the debug information. A tool without either is not looked at: its mistakes
 * are told without a line. The file is opened at the first question and stays open. The caller holds jit_lock, or is
 * the only thread, or ends the process. */
#include "api/toolsource.h"

#include "image/image.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

static struct {
    const char *path;
    u64 base;      /* what its addresses in the process are above those in the file */
    u64 start, end;
    bool opened;
    Elf *elf;
    Dwarf *dwarf;  /* NULL: none */
} tool;

static void open_file(void)
{
    if (tool.opened)
        return;
    tool.opened = true;
    int fd = tool.path ? open(tool.path, O_RDONLY | O_CLOEXEC) : -1;
    elf_version(EV_CURRENT);
    tool.elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL); /* not mapped: the place may be the guest's */
    if (tool.elf && elf_cntl(tool.elf, ELF_C_FDREAD) == 0)
        tool.dwarf = dwarf_begin_elf(tool.elf, DWARF_C_READ, NULL);
    if (fd >= 0)
        close(fd); /* it has been read */
}

static bool inside(u64 address) { return address >= tool.start && address < tool.end; }

/* --- lines -------------------------------------------------------------------------------------------------------- */

static bool unit_of(u64 pc, Dwarf_Die *unit)
{
    if (!tool.dwarf)
        return false;
    if (dwarf_addrdie(tool.dwarf, pc, unit))
        return true;
    Dwarf_Off at = 0, next;
    size_t head;
    while (dwarf_nextcu(tool.dwarf, at, &next, &head, NULL, NULL, NULL) == 0) {
        if (dwarf_offdie(tool.dwarf, at + head, unit) && dwarf_haspc(unit, pc) > 0)
            return true;
        at = next;
    }
    return false;
}

bool toolsource_line(u64 address, struct toolsource_place *out)
{
    Dwarf_Die unit;
    int line = 0;
    open_file();
    if (!inside(address) || !unit_of(address - tool.base, &unit))
        return false;
    Dwarf_Line *at = dwarf_getsrc_die(&unit, address - tool.base);
    const char *file = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
    if (!file || dwarf_lineno(at, &line) || !line)
        return false;
    base_format(out->file, sizeof out->file, "%s", file);
    out->line = line;
    return true;
}

struct caller {
    u64 pc;
    const char *api; /* the function of the API that the tool has called */
};

static _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *arg)
{
    struct caller *c = arg;
    Dl_info info;
    u64 pc = _Unwind_GetIP(context) - 1;
    if (inside(pc)) {
        c->pc = pc;
        return _URC_END_OF_STACK;
    }
    if (c->api) /* the tool's function has ended with the call, and its frame is gone */
        return _URC_END_OF_STACK;
    if (dladdr((void *)pc, &info) && info.dli_sname)
        c->api = info.dli_sname;
    return _URC_NO_REASON;
}

bool toolsource_caller(struct toolsource_place *out)
{
    struct caller c = {0, NULL};
    if (!tool.path)
        return false;
    _Unwind_Backtrace(see_frame, &c);
    out->api = c.api;
    return c.pc && toolsource_line(c.pc, out);
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

/* Parameters of "name(type, type)", -1: it cannot be told. */
static int count_in_name(const char *name)
{
    const char *clone = strstr(name, " [clone"), *end = clone ? clone : name + strlen(name);
    while (end > name && end[-1] != ')')
        end--;
    const char *at = end;
    int depth = 0, commas = 0;
    while (at > name) {
        char c = *--at;
        depth += c == ')' || c == '>' ? 1 : c == '(' || c == '<' ? -1 : 0;
        if (!depth)
            break;
        commas += c == ',' && depth == 1;
    }
    size_t bytes = end > at + 2 ? (size_t)(end - at - 2) : 0;
    if (at == name || *at != '(' || (bytes >= 3 && memcmp(end - 4, "...", 3) == 0))
        return -1;
    return !bytes || (bytes == 4 && memcmp(at + 1, "void", 4) == 0) ? 0 : commas + 1;
}

static void note(struct toolsource_count *c, int n)
{
    if (n < 0 || c->n == ARRAY_LEN(c->count))
        c->any = true;
    else
        c->count[c->n++] = n;
}

static void note_symbol(struct toolsource_count *c, const char *name)
{
    if (strncmp(name, "_Z", 2) != 0)
        return;
    char *text = demangle(name, false);
    note(c, text ? count_in_name(text) : -1);
    if (text && !c->name[0])
        base_format(c->name, sizeof c->name, "%s", text);
    free(text);
}

/* All names that the routine has: identical functions may have become one. */
static void look_in_symbols(struct toolsource_count *c, u64 address)
{
    GElf_Shdr head;
    GElf_Sym sym;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(tool.elf, s));) {
        if (!gelf_getshdr(s, &head) || head.sh_type != SHT_SYMTAB || !head.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(s, NULL);
        for (size_t i = 0; data && i < head.sh_size / head.sh_entsize; i++) {
            if (!gelf_getsym(data, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_value != address)
                continue;
            const char *name = elf_strptr(tool.elf, head.sh_link, sym.st_name);
            if (name)
                note_symbol(c, name);
        }
    }
}

static int count_in_die(Dwarf_Die *function)
{
    Dwarf_Die child;
    int n = 0;
    if (dwarf_child(function, &child))
        return 0;
    do {
        if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
            return -1;
        n += dwarf_tag(&child) == DW_TAG_formal_parameter;
    } while (dwarf_siblingof(&child, &child) == 0);
    return n;
}

struct die_search {
    struct toolsource_count *count;
    u64 address;
};

static int see_function(Dwarf_Die *die, void *arg)
{
    struct die_search *s = arg;
    Dwarf_Addr low;
    if (dwarf_lowpc(die, &low) || low != s->address)
        return DWARF_CB_OK;
    /* Old style C says nothing of its parameters. */
    Dwarf_Attribute attr;
    bool flag = false, known = dwarf_attr_integrate(die, DW_AT_prototyped, &attr) && !dwarf_formflag(&attr, &flag);
    const char *name = dwarf_diename(die);
    note(s->count, known && flag ? count_in_die(die) : -1);
    if (name && !s->count->name[0])
        base_format(s->count->name, sizeof s->count->name, "%s", name);
    return DWARF_CB_ABORT;
}

static void look_in_debug(struct toolsource_count *c, u64 address)
{
    Dwarf_Die unit;
    struct die_search s = {c, address};
    if (unit_of(address, &unit))
        dwarf_getfuncs(&unit, see_function, &s, 0);
}

static void look(struct toolsource_count *c, u64 address)
{
    open_file();
    if (!tool.elf || !inside(address))
        return;
    look_in_symbols(c, address - tool.base);
    if (!c->n && !c->any)
        look_in_debug(c, address - tool.base);
}

#define BUCKETS 256u

const struct toolsource_count *toolsource_parameters(void *fn)
{
    static struct known {
        struct known *next;
        void *fn;
        struct toolsource_count count;
    } *bucket[BUCKETS];
    struct known **at = &bucket[((u64)fn >> 4) % BUCKETS];
    for (struct known *k = *at; k; k = k->next)
        if (k->fn == fn)
            return &k->count;
    struct known *k = calloc(1, sizeof *k);
    if (!k)
        die(1, "out of memory for what is known of the tool's routines");
    k->fn = fn;
    look(&k->count, (u64)fn);
    k->next = *at;
    *at = k;
    return &k->count;
}

bool toolsource_has(const void *p) { return inside((u64)p); }

/* --- the tool ----------------------------------------------------------------------------------------------------- */

static int see_object(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    (void)bytes;
    if (info->dlpi_addr != *(u64 *)arg)
        return 0;
    for (u32 i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        u64 start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD)
            continue;
        tool.start = tool.start && tool.start < start ? tool.start : start;
        tool.end = tool.end > start + p->p_memsz ? tool.end : start + p->p_memsz;
    }
    return 1;
}

/* A mistake whose line the API function does not know. */
static bool place_of_misuse(char *file, size_t bytes, int *line)
{
    struct toolsource_place p;
    if (!toolsource_caller(&p))
        return false;
    base_format(file, bytes, "%s", p.file);
    *line = p.line;
    return true;
}

void toolsource_init(const char *path, u64 base)
{
    tool.path = path;
    tool.base = base;
    dl_iterate_phdr(see_object, &base);
    misuse_place = place_of_misuse;
}
