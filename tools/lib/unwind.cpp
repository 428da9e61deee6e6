// SPDX-License-Identifier: Apache-2.0
// Call stacks (unwind.h). The tables are read in the program's memory, where the images are mapped; an image is known from its load to its unload.
#include "unwind.h"

#include "linchpin/memory.h"

#include <algorithm>
#include <elf.h>

enum Kind { UNKNOWN, NO_TABLE, BY_SP, BY_BP, SIGNAL, LAST }; // LAST: the outermost frame
enum { DWARF_BP = 6, DWARF_SP = 7, DWARF_RA = 16 };                // DWARF's numbers
enum { UC_SP = 160, UC_BP = 120, UC_PC = 168 };              // of the kernel's frame of a signal, from its start

struct Table {
    ADDRINT low, high;
    const UINT8 *header; // .eh_frame_hdr
};
static std::vector<Table> tables;
static UINT32 table_generation = 1;
static PIN_LOCK table_lock;

// --- reading ------------------------------------------------------------------------------------------------------------

template <class T> static T Take(const UINT8 *&at)
{
    T value;
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
}

static UINT64 Uleb(const UINT8 *&at)
{
    UINT64 value = 0;
    for (int shift = 0;; shift += 7) {
        UINT8 byte = *at++;
        value |= shift < 64 ? UINT64(byte & 0x7f) << shift : 0;
        if (!(byte & 0x80))
            return value;
    }
}

static INT64 Sleb(const UINT8 *&at)
{
    INT64 value = 0;
    int shift = 0;
    UINT8 byte;
    do {
        byte = *at++;
        value |= shift < 64 ? INT64(byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80);
    return shift < 64 && (byte & 0x40) ? value | -(INT64(1) << shift) : value;
}

// A pointer in one of DWARF's encodings: absolute or relative to itself.
static ADDRINT Encoded(const UINT8 *&at, UINT8 encoding)
{
    ADDRINT self = (encoding & 0x70) == 0x10 ? ADDRINT(at) : 0;
    switch (encoding & 0xf) {
    case 1: return self + Uleb(at);
    case 2: return self + Take<UINT16>(at);
    case 3: return self + Take<UINT32>(at);
    case 9: return self + ADDRINT(Sleb(at));
    case 10: return self + ADDRINT(INT64(Take<INT16>(at)));
    case 11: return self + ADDRINT(INT64(Take<INT32>(at)));
    default: return self + Take<UINT64>(at);
    }
}

// --- tables -------------------------------------------------------------------------------------------------------------

// An entry of .eh_frame (FDE) with what its common part (CIE) says.
struct Entry {
    ADDRINT low, high;
    UINT64 code_step;
    INT64 data_step;
    BOOL signal;
    const UINT8 *first, *first_end; // instructions of the common part
    const UINT8 *own, *own_end;
};

static const UINT8 *EndOf(const UINT8 *&at)
{
    UINT32 bytes = Take<UINT32>(at);
    return at + bytes;
}

static BOOL ReadCommon(const UINT8 *at, Entry *e, UINT8 *pointers)
{
    e->first_end = EndOf(at);
    at += 4; // its mark
    UINT8 version = *at++;
    const char *letters = reinterpret_cast<const char *>(at);
    at += strlen(letters) + 1;
    e->code_step = Uleb(at);
    e->data_step = Sleb(at);
    UINT64 ra = version == 1 ? *at++ : Uleb(at);
    *pointers = 0;
    e->signal = FALSE;
    const UINT8 *after = at;
    if (*letters == 'z') {
        UINT64 bytes = Uleb(at);
        after = at + bytes;
    }
    for (const char *l = letters; *l == 'z' || *l == 'R' || *l == 'P' || *l == 'L' || *l == 'S'; l++)
        if (*l == 'R')
            *pointers = *at++;
        else if (*l == 'L')
            at++;
        else if (*l == 'S')
            e->signal = TRUE;
        else if (*l == 'P') {
            UINT8 encoding = *at++;
            Encoded(at, encoding);
        }
    e->first = after;
    return ra == DWARF_RA;
}

static BOOL ReadEntry(const UINT8 *at, Entry *e)
{
    UINT8 pointers;
    e->own_end = EndOf(at);
    const UINT8 *mark = at;
    if (!ReadCommon(mark - Take<UINT32>(at), e, &pointers))
        return FALSE;
    e->low = Encoded(at, pointers);
    e->high = e->low + Encoded(at, pointers & 0xf);
    UINT64 bytes = Uleb(at); // augmentation: always there where the letters begin with z
    e->own = at + bytes;
    return TRUE;
}

// The header's table is sorted: pairs of routine and entry, relative to the header.
static BOOL FindEntry(const UINT8 *header, ADDRINT pc, Entry *e)
{
    if (header[0] != 1 || header[2] != 0x03 || header[3] != 0x3b)
        return FALSE;
    const UINT8 *at = header + 4;
    Encoded(at, header[1]);
    UINT32 low = 0, high = Take<UINT32>(at);
    const INT32 *pairs = reinterpret_cast<const INT32 *>(at);
    while (low < high) {
        UINT32 middle = (low + high) / 2;
        if (ADDRINT(header) + ADDRINT(INT64(pairs[2 * middle])) <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low && ReadEntry(header + pairs[2 * (low - 1) + 1], e) && e->low <= pc && pc < e->high;
}

// Under the lock, and so is what is read of the table: its image stays that long.
static BOOL FindTable(ADDRINT pc, Table *found)
{
    for (const Table &t : tables)
        if (t.low <= pc && pc <= t.high) {
            *found = t;
            return TRUE;
        }
    return FALSE;
}

// --- instructions of the tables -----------------------------------------------------------------------------------------

struct State {
    INT64 reg, offset; // of the frame; reg -1: an expression
    INT64 bp;          // 0: not saved; NO_BP: somewhere that is not known here
    BOOL last;
};
static const INT64 NO_BP = INT64_MAX;

class Machine
{
  public:
    Machine(const Entry &e, ADDRINT pc) : entry(e), pc(pc), at(e.low), now(), initial() {}
    State Run()
    {
        Execute(entry.first, entry.first_end);
        initial = now;
        Execute(entry.own, entry.own_end);
        return now;
    }

  private:
    VOID Set(UINT64 reg, INT64 bp)
    {
        if (reg == DWARF_BP)
            now.bp = bp;
        if (reg == DWARF_RA)
            now.last = TRUE;
    }
    VOID Saved(UINT64 reg, INT64 offset)
    {
        if (reg == DWARF_BP)
            now.bp = offset * entry.data_step;
    }
    VOID Restore(UINT64 reg)
    {
        if (reg == DWARF_BP)
            now.bp = initial.bp;
    }
    VOID Frame(INT64 reg, INT64 offset)
    {
        now.reg = reg;
        now.offset = offset;
    }
    BOOL Skip(UINT64 steps)
    {
        at += steps * entry.code_step;
        return at <= pc;
    }
    VOID Execute(const UINT8 *from, const UINT8 *to)
    {
        for (BOOL on = TRUE; on && from < to;) {
            UINT8 op = *from++, low = op & 0x3f;
            switch (op >> 6) {
            case 1: on = Skip(low); break;
            case 2: Saved(low, INT64(Uleb(from))); break;
            case 3: Restore(low); break;
            default: on = Extended(op, from);
            }
        }
    }
    BOOL Block(const UINT8 *&from)
    {
        UINT64 bytes = Uleb(from);
        from += bytes;
        return TRUE;
    }
    // FALSE: what follows is for later addresses, or not known.
    BOOL Extended(UINT8 op, const UINT8 *&from)
    {
        UINT64 reg;
        switch (op) {
        case 0x00: return TRUE;                                        // nop
        case 0x01: at = Take<UINT64>(from); return at <= pc;           // set_loc
        case 0x02: return Skip(Take<UINT8>(from));                     // advance_loc1
        case 0x03: return Skip(Take<UINT16>(from));                    // advance_loc2
        case 0x04: return Skip(Take<UINT32>(from));                    // advance_loc4
        case 0x05: reg = Uleb(from); Saved(reg, INT64(Uleb(from))); return TRUE; // offset_extended
        case 0x06: Restore(Uleb(from)); return TRUE;                   // restore_extended
        case 0x07: Set(Uleb(from), NO_BP); return TRUE;                // undefined
        case 0x08: reg = Uleb(from); if (reg == DWARF_BP) now.bp = 0; return TRUE; // same_value
        case 0x09: reg = Uleb(from); Uleb(from); if (reg == DWARF_BP) now.bp = NO_BP; return TRUE; // register
        case 0x0a: stack.push_back(now); return TRUE;                  // remember_state
        case 0x0b:                                                     // restore_state
            if (!stack.empty()) {
                now = stack.back();
                stack.pop_back();
            }
            return TRUE;
        case 0x0c: reg = Uleb(from); Frame(INT64(reg), INT64(Uleb(from))); return TRUE;     // def_cfa
        case 0x0d: now.reg = INT64(Uleb(from)); return TRUE;           // def_cfa_register
        case 0x0e: now.offset = INT64(Uleb(from)); return TRUE;        // def_cfa_offset
        case 0x0f: now.reg = -1; return Block(from);                   // def_cfa_expression
        case 0x10: case 0x16: reg = Uleb(from); if (reg == DWARF_BP) now.bp = NO_BP; return Block(from); // expression, val_expression
        case 0x11: reg = Uleb(from); Saved(reg, Sleb(from)); return TRUE; // offset_extended_sf
        case 0x12: reg = Uleb(from); Frame(INT64(reg), Sleb(from) * entry.data_step); return TRUE; // def_cfa_sf
        case 0x13: now.offset = Sleb(from) * entry.data_step; return TRUE; // def_cfa_offset_sf
        case 0x2e: Uleb(from); return TRUE;                            // GNU_args_size
        default: now.reg = -1; return FALSE;
        }
    }
    const Entry &entry;
    ADDRINT pc, at;
    State now, initial;
    std::vector<State> stack;
};

static UnwindRule MakeRule(ADDRINT pc)
{
    UnwindRule rule = {pc, 0, 0, NO_TABLE};
    Table table;
    Entry entry;
    Locked locked(&table_lock);
    if (!FindTable(pc, &table) || !FindEntry(table.header, pc, &entry))
        return rule;
    State s = Machine(entry, pc).Run();
    rule.kind = entry.signal ? SIGNAL : s.last ? LAST : s.reg == DWARF_SP ? BY_SP : s.reg == DWARF_BP ? BY_BP : NO_TABLE;
    rule.cfa = INT32(s.offset);
    rule.bp = s.bp == NO_BP ? 0 : INT32(s.bp);
    return rule;
}

BOOL unwind_routine(ADDRINT address, ADDRINT *low, ADDRINT *high)
{
    Table table;
    Entry entry;
    Locked locked(&table_lock);
    if (!FindTable(address, &table) || !FindEntry(table.header, address, &entry))
        return FALSE;
    *low = entry.low;
    *high = entry.high;
    return TRUE;
}

// --- stacks -------------------------------------------------------------------------------------------------------------

const UnwindRule *Unwinder::RuleOf(ADDRINT pc)
{
    UINT32 now = __atomic_load_n(&table_generation, __ATOMIC_ACQUIRE);
    if (generation != now) {
        memset(rules, 0, sizeof rules);
        generation = now;
    }
    UnwindRule *rule = &rules[(pc ^ pc >> 11) % RULES];
    if (rule->pc != pc)
        *rule = MakeRule(pc);
    return rule;
}

BOOL Unwinder::FindStack(ADDRINT sp)
{
    lp_memory_area area;
    if (low <= sp && sp < high)
        return TRUE;
    if (!lp_next_memory(sp, &area) || area.low > sp || !(area.flags & LP_MEMORY_READ))
        return FALSE;
    low = sp & ~ADDRINT(4095); // the stack may grow: what is below is asked for again
    high = area.high;
    return TRUE;
}

BOOL Unwinder::Read(ADDRINT at, ADDRINT *value) const
{
    if (at < low || at + sizeof *value > high || at & 7)
        return FALSE;
    *value = *reinterpret_cast<const ADDRINT *>(at);
    return TRUE;
}

// is_call: pc is that of a return address, and what called is before it.
BOOL Unwinder::Step(ADDRINT *pc, ADDRINT *sp, ADDRINT *bp, BOOL is_call)
{
    const UnwindRule *rule = RuleOf(*pc - (is_call ? 1 : 0));
    ADDRINT cfa, old = *bp;
    if (rule->kind == LAST)
        return FALSE;
    if (rule->kind == SIGNAL)
        return Read(*sp + UC_BP, bp) && Read(*sp + UC_PC, pc) && Read(*sp + UC_SP, sp);
    if (rule->kind == NO_TABLE) { // frame pointers
        cfa = old + 16;
        if (!Read(old, bp))
            return FALSE;
    } else {
        cfa = (rule->kind == BY_SP ? *sp : old) + ADDRINT(INT64(rule->cfa));
        if (rule->bp && !Read(cfa + ADDRINT(INT64(rule->bp)), bp))
            return FALSE;
    }
    if (cfa <= *sp || !Read(cfa - 8, pc) || !*pc)
        return FALSE;
    *sp = cfa;
    return TRUE;
}

UINT32 Unwinder::Take(ADDRINT pc, ADDRINT sp, ADDRINT bp, BOOL at_entry, ADDRINT *to, UINT32 room)
{
    UINT32 n = 0;
    BOOL is_call = FALSE;
    if (!FindStack(sp))
        return 0;
    if (at_entry) {
        if (!Read(sp, &pc))
            return 0;
        sp += 8;
        is_call = TRUE;
    }
    while (n < room) {
        to[n++] = pc - (is_call ? 1 : 0);
        const UINT8 kind = RuleOf(pc - (is_call ? 1 : 0))->kind;
        if (!Step(&pc, &sp, &bp, is_call) || (!FindStack(sp) && n))
            break;
        is_call = kind != SIGNAL;
    }
    return n;
}

// --- images -------------------------------------------------------------------------------------------------------------

static VOID Load(IMG img, VOID *)
{
    for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec))
        if (SEC_Name(sec) == ".eh_frame_hdr" && SEC_Mapped(sec)) {
            Locked locked(&table_lock);
            tables.push_back(Table{IMG_LowAddress(img), IMG_HighAddress(img), reinterpret_cast<const UINT8 *>(SEC_Address(sec))});
            __atomic_add_fetch(&table_generation, 1, __ATOMIC_RELEASE);
        }
}

static VOID Unload(IMG img, VOID *)
{
    Locked locked(&table_lock);
    ADDRINT low = IMG_LowAddress(img);
    tables.erase(std::remove_if(tables.begin(), tables.end(), [&](const Table &t) { return t.low == low; }), tables.end());
    __atomic_add_fetch(&table_generation, 1, __ATOMIC_RELEASE);
}

// A program of 32 bits has program headers of that class.
static VOID RefuseNarrow()
{
    bool known;
    if (PIN_GetAuxVectorValue(AT_PHENT, &known) != sizeof(Elf32_Phdr))
        return;
    fprintf(stderr, "E: call stacks of IA-32 programs, and blocks of their heap, are not looked into yet\n");
    exit(1);
}

VOID unwind_start()
{
    RefuseNarrow();
    PIN_InitLock(&table_lock);
    IMG_AddInstrumentFunction(Load, 0);
    IMG_AddUnloadFunction(Unload, 0);
}

VOID unwind_before_fork() { PIN_GetLock(&table_lock, 1); }
VOID unwind_after_fork() { PIN_ReleaseLock(&table_lock); }
