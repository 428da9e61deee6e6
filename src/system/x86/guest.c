/* SPDX-License-Identifier: Apache-2.0
 * What the plugin has to know of an x86 guest. The interface of QEMU 7.2 shows no registers; the functions by which
 * QEMU answers gdb do, and Debian's QEMU exports them (its modules need that). They are looked up by name, and the
 * first answer is compared with the state that every processor has after a reset: a QEMU without them, or with
 * others, is refused. Registers of control are exact whenever a block is translated or begins; general ones are not
 * asked for. */
#include "facts.h"
#include "linchpin/reg.h"
#include "regs.h"
#include "system/system.h"
#include "xed-category-enum.h"
#include "xed-iclass-enum.h"

#include <dlfcn.h>
#include <string.h>

/* gdb's numbers of registers (64 bits), as in QEMU 6 to 8. The upper vector registers are shown in 64-bit code only. */
enum { GDB_RSI = 4, GDB_RDI, GDB_RIP = 16, GDB_FLAGS, GDB_CS, GDB_CR0 = 27, GDB_EFER = 32, GDB_XMM8 = 57 };
enum { CR0_PE = 1, FLAG_VM = 1 << 17, EFER_LMA = 1 << 10, RESET_IP = 0xfff0, RESET_CS = 0xf000 };

struct bytes { /* GLib's byte array */
    u8 *data;
    u32 n;
};

static struct {
    int (*read_register)(void *cpu, struct bytes *to, int number);
    int (*read_memory)(void *cpu, u64 address, void *to, u64 bytes, bool write);
    u64 (*physical_page)(void *cpu, u64 address, void *attributes);
    void *(*cpu)(int number);
    struct bytes *(*new_bytes)(u32 room);
    struct bytes *(*set_size)(struct bytes *b, u32 n);
} qemu;

static void *find(const char *name)
{
    void *p = dlsym(RTLD_DEFAULT, name);
    if (!p)
        die(1, "this QEMU does not export %s, by which a plugin can see in which mode a processor is: Debian 12's "
               "qemu-system-x86 (7.2) does", name);
    return p;
}

bool guest_known(const char *target) { return strcmp(target, "x86_64") == 0; }

void guest_start(void)
{
    qemu.read_register = (int (*)(void *, struct bytes *, int))find("x86_cpu_gdb_read_register");
    qemu.read_memory = (int (*)(void *, u64, void *, u64, bool))find("cpu_memory_rw_debug");
    qemu.physical_page = (u64 (*)(void *, u64, void *))find("cpu_get_phys_page_attrs_debug");
    qemu.cpu = (void *(*)(int))find("qemu_get_cpu");
    qemu.new_bytes = (struct bytes *(*)(u32))find("g_byte_array_sized_new");
    qemu.set_size = (struct bytes *(*)(struct bytes *, u32))find("g_byte_array_set_size");
    find("current_cpu");
}

/* The processor on whose thread this is called. */
static void *current(void)
{
    void **place = dlsym(RTLD_DEFAULT, "current_cpu"); /* each thread has its own */
    return *place;
}

/* How many bytes it has; 0: it is not there. */
static u32 read_register(void *cpu, int number, u64 *value)
{
    static __thread struct bytes *b;
    b = b ? b : qemu.new_bytes(64);
    qemu.set_size(b, 0);
    *value = 0;
    int n = qemu.read_register(cpu, b, number);
    memcpy(value, b->data, n > 8 ? 8 : n > 0 ? (u32)n : 0);
    return (u32)n;
}

/* Of the first block. */
static void check_reset(void *cpu)
{
    u64 ip, cs, efer;
    read_register(cpu, GDB_RIP, &ip);
    read_register(cpu, GDB_CS, &cs);
    read_register(cpu, GDB_EFER, &efer);
    if (ip != RESET_IP || cs != RESET_CS || efer)
        die(1, "this QEMU shows registers otherwise than version 7.2 does (after a reset, ip 0x%lx cs 0x%lx efer "
               "0x%lx)", ip, cs, efer);
}

/* Blocks of which QEMU takes an instruction for longer or shorter than our decoder does. */
static u64 blocks_misread;

void guest_ends(void)
{
    if (blocks_misread)
        msg("%lu blocks of the guest were decoded otherwise than by QEMU: what was told of them may be wrong",
            blocks_misread);
}

/* Would the block's instructions be as long? */
static bool fits(const struct guest_code *c, u32 n, u8 mode)
{
    struct ins_facts f;
    for (u32 i = 0; i < n; i++)
        if (!facts_decode(&f, 0, c->insn[i].bytes, c->insn[i].len, 0, mode) || f.len != c->insn[i].len)
            return false;
    return true;
}

static u8 code_mode(void *cpu, const struct guest_code *c)
{
    u64 cr0, flags, efer, vector;
    read_register(cpu, GDB_CR0, &cr0);
    read_register(cpu, GDB_FLAGS, &flags);
    read_register(cpu, GDB_EFER, &efer);
    if (efer & EFER_LMA && read_register(cpu, GDB_XMM8, &vector))
        return CODE_64;
    if (!(cr0 & CR0_PE) || flags & FLAG_VM)
        return CODE_16;
    /* What a segment says of its code is not shown: nearly all is of 32 bits. The last instruction may be cut. */
    u32 n = c->n > 1 ? c->n - 1 : c->n;
    return fits(c, n, CODE_32) || !fits(c, n, CODE_16) ? CODE_32 : CODE_16;
}

/* QEMU 7.2 tells the bytes of an instruction only up to the end of a page; and where such a one is not the first of its
 * block, the block ends before it, but it is told of. */
static void put_right(void *cpu, struct guest_code *c, u8 mode)
{
    struct ins_facts f;
    u8 bytes[15];
    u32 i = c->n - 1;
    u64 pc = c->insn[i].pc, page_left = PAGE_BYTES - pc % PAGE_BYTES;
    if (page_left >= sizeof bytes || facts_decode(&f, 0, c->insn[i].bytes, c->insn[i].len, 0, mode))
        return;
    if (i)
        c->n--;
    else if (qemu.read_memory(cpu, pc, bytes, sizeof bytes, false) == 0 &&
             facts_decode(&f, 0, bytes, sizeof bytes, 0, mode)) {
        memcpy(c->insn[i].bytes, bytes, sizeof bytes);
        c->insn[i].len = f.len;
    }
}

u8 guest_look_at(struct guest_code *c)
{
    static bool checked;
    void *cpu = current();
    if (!checked)
        check_reset(cpu);
    checked = true;
    u8 mode = code_mode(cpu, c);
    put_right(cpu, c, mode);
    blocks_misread += !fits(c, c->n, mode);
    return mode;
}

u32 guest_privilege(void)
{
    u64 cs, cr0, flags;
    void *cpu = current();
    read_register(cpu, GDB_CS, &cs);
    read_register(cpu, GDB_CR0, &cr0);
    read_register(cpu, GDB_FLAGS, &flags);
    return flags & FLAG_VM ? 3 : cr0 & CR0_PE ? cs & 3 : 0;
}

void guest_arguments(u64 *a, u64 *b)
{
    read_register(current(), GDB_RDI, a);
    read_register(current(), GDB_RSI, b);
}

/* By the guest's page tables, as they are now. */
u64 guest_physical(u64 address)
{
    u64 attributes[8]; /* of the access; nobody looks at them, and they are smaller */
    u64 page = qemu.physical_page(current(), address & ~(PAGE_BYTES - 1ul), attributes);
    return page == ~0ul ? ~0ul : page + address % PAGE_BYTES;
}

bool guest_read_memory(u64 address, void *to, size_t bytes)
{
    void *cpu = cpu_now < MAX_CPUS ? qemu.cpu((int)cpu_now) : current();
    return cpu && qemu.read_memory(cpu, address, to, bytes, false) == 0;
}

bool guest_kernel_half(u64 address) { return address >> 63; }

/* Linux: with address randomisation it lies up to 1 GiB from where it is linked to, in steps of 2 MiB. */
bool guest_kernel_distances(u64 pc, u64 *step, u64 *most)
{
    *step = 2ul << 20;
    *most = 1ul << 30;
    return pc >= 0xffffffff80000000ul;
}

/* --- instructions --- */

#define CONTROL (FACT_FLAG_BRANCH | FACT_FLAG_CALL | FACT_FLAG_RET)

bool guest_ends_block(struct ins *ins)
{
    u32 ends = CONTROL | FACT_FLAG_SYSCALL | FACT_FLAG_REP | FACT_FLAG_REPNE | FACT_FLAG_NO_FALL_THROUGH;
    return facts_of(ins)->flags & ends;
}

/* All its operands are constants, general registers or arithmetic flags. */
static bool is_simple(const struct ins_facts *f)
{
    for (u32 k = 0; k < f->noperands; k++) {
        u16 c = f->op[k].kind == FACT_REG ? regs_class(f->op[k].reg) : REG_CLASS_GR64;
        bool flags = c == REG_CLASS_FLAGS64 || c == REG_CLASS_FLAGS32 || c == REG_CLASS_FLAGS16;
        if (f->op[k].kind == FACT_MEM || (!flags && (c < REG_CLASS_GR64 || c > REG_CLASS_GR_H8)))
            return false;
    }
    return true;
}

bool guest_runs_through(struct ins *ins)
{
    const struct ins_facts *f = facts_of(ins);
    if (f->nmem || f->flags & (CONTROL | FACT_FLAG_LOCK_PREFIX | FACT_FLAG_BAD) || !is_simple(f))
        return false;
    switch (f->category) {
    case XED_CATEGORY_BINARY:
        return f->iclass != XED_ICLASS_DIV && f->iclass != XED_ICLASS_IDIV;
    case XED_CATEGORY_LOGICAL: case XED_CATEGORY_DATAXFER: case XED_CATEGORY_SHIFT: case XED_CATEGORY_ROTATE:
    case XED_CATEGORY_BITBYTE: case XED_CATEGORY_CMOV: case XED_CATEGORY_CONVERT: case XED_CATEGORY_NOP:
    case XED_CATEGORY_WIDENOP: case XED_CATEGORY_SETCC:
        return true;
    }
    return f->iclass == XED_ICLASS_LEA;
}

/* Descriptors that an instruction of control, or one with a segment register, loads; stores of several parts. */
bool guest_has_other_accesses(struct ins *ins)
{
    const struct ins_facts *f = facts_of(ins);
    for (u32 k = 0; k < f->noperands; k++)
        if (f->op[k].kind == FACT_REG && regs_class(f->op[k].reg) == REG_CLASS_SEG)
            return true;
    return f->flags & (FACT_FLAG_FAR | FACT_FLAG_SYSCALL | FACT_FLAG_XSAVE | FACT_FLAG_GATHER | FACT_FLAG_SCATTER) ||
           f->category == XED_CATEGORY_SYSTEM || f->category == XED_CATEGORY_INTERRUPT ||
           f->category == XED_CATEGORY_SYSRET || f->iclass == XED_ICLASS_IRET || f->iclass == XED_ICLASS_IRETD ||
           f->iclass == XED_ICLASS_IRETQ;
}

/* QEMU compares strings from the second one on. */
bool guest_reads_second_first(struct ins *ins)
{
    const struct ins_facts *f = facts_of(ins);
    return f->nmem == 2 && f->op[f->mem[0]].read && f->op[f->mem[1]].read;
}

/* Both parts of an update that QEMU makes at once are one access. */
bool guest_access_is_both(qemu_plugin_meminfo_t info)
{
    return (info >> 16 & QEMU_PLUGIN_MEM_RW) == QEMU_PLUGIN_MEM_RW;
}
