// SPDX-License-Identifier: Apache-2.0
// A tool for pin.H that counts what the parts of the test's system do, each in its own way: instructions one by one and by blocks, accesses with their addresses and sizes.
#include "pin.H"

#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

static KNOB<std::string> KnobPart(KNOB_MODE_APPEND, "pintool", "part", "", "NAME=FROM-TO, in hex");
static KNOB<BOOL> KnobPhysical(KNOB_MODE_WRITEONCE, "pintool", "physical", "0", "physical addresses, too");

struct Part {
    char name[32];
    ADDRINT from, to;
    UINT64 instructions, user, in_blocks, reads, writes, read_bytes, written_bytes, predicated, both, updates, other_physical;
    ADDRINT first, last;
    std::map<std::string, UINT64> opcodes;
    std::set<THREADID> processors;
    std::set<UINT32> privileges;
};
static std::vector<Part *> parts;
static PIN_LOCK lock;

static VOID Instruction(Part *p, THREADID processor, UINT32 privilege)
{
    PIN_GetLock(&lock, 1);
    p->instructions++;
    p->user += privilege == 3;
    p->processors.insert(processor);
    p->privileges.insert(privilege);
    PIN_ReleaseLock(&lock);
}
static VOID Opcode(UINT64 *n) { __atomic_fetch_add(n, 1, __ATOMIC_RELAXED); }
static VOID Block(Part *p, UINT32 n) { __atomic_fetch_add(&p->in_blocks, n, __ATOMIC_RELAXED); }
// Of an operand that is read and written.
static VOID Update(Part *p, ADDRINT) { __atomic_fetch_add(&p->updates, 1, __ATOMIC_RELAXED); }
static VOID Predicated(Part *p) { __atomic_fetch_add(&p->predicated, 1, __ATOMIC_RELAXED); }

static VOID Access(Part *p, ADDRINT address)
{
    p->first = p->reads + p->writes == 1 ? address : p->first;
    p->last = address;
}
static VOID Read(Part *p, ADDRINT address, UINT32 bytes)
{
    PIN_GetLock(&lock, 1);
    p->reads++;
    p->read_bytes += bytes;
    Access(p, address);
    PIN_ReleaseLock(&lock);
}
static VOID Write(Part *p, ADDRINT address, UINT32 bytes)
{
    PIN_GetLock(&lock, 1);
    p->writes++;
    p->written_bytes += bytes;
    Access(p, address);
    PIN_ReleaseLock(&lock);
}
// Of an instruction that reads one place and writes another.
static VOID Both(Part *p, ADDRINT from, ADDRINT to)
{
    PIN_GetLock(&lock, 1);
    p->both += to - from == 4096;
    PIN_ReleaseLock(&lock);
}
static ADDRINT IsFirst(Part *p) { return p->in_blocks == 0; }
static VOID Physical(Part *p, ADDRINT address, ADDRINT physical)
{
    PIN_GetLock(&lock, 1);
    p->other_physical += address != physical;
    PIN_ReleaseLock(&lock);
}

// Physical places, and how often each was used.
static std::map<std::string, UINT64> places;
static VOID Place(const char *kind, ADDRINT physical)
{
    PIN_GetLock(&lock, 1);
    places[kind + hexstr(physical)]++;
    PIN_ReleaseLock(&lock);
}

static Part *Find(ADDRINT pc)
{
    for (Part *p : parts)
        if (pc >= p->from && pc < p->to)
            return p;
    return NULL;
}

static VOID Ins(INS ins, VOID *)
{
    Part *p = Find(INS_Address(ins));
    if (!p)
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Instruction), IARG_PTR, p, IARG_THREAD_ID, IARG_PRIVILEGE, IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Opcode), IARG_PTR, &p->opcodes[INS_Mnemonic(ins)], IARG_END);
    if (!INS_IsPredicated(ins) || INS_HasRealRep(ins))
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Predicated), IARG_PTR, p, IARG_END);
    if (INS_IsMemoryRead(ins))
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Read), IARG_PTR, p, IARG_MEMORYREAD_EA, IARG_MEMORYREAD_SIZE, IARG_END);
    if (INS_IsMemoryWrite(ins))
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Write), IARG_PTR, p, IARG_MEMORYWRITE_EA, IARG_MEMORYWRITE_SIZE, IARG_END);
    if (INS_IsMemoryRead(ins) && INS_IsMemoryWrite(ins))
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Both), IARG_PTR, p, IARG_MEMORYREAD_EA, IARG_MEMORYWRITE_EA, IARG_END);
    for (UINT32 i = 0; INS_IsStandardMemop(ins) && i < INS_MemoryOperandCount(ins); i++)
        if (INS_MemoryOperandIsRead(ins, i) && INS_MemoryOperandIsWritten(ins, i))
            INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Update), IARG_PTR, p, IARG_MEMORYOP_EA, i, IARG_END);
    for (UINT32 i = 0; KnobPhysical && i < INS_MemoryOperandCount(ins); i++)
        INS_InsertPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Physical), IARG_PTR, p, IARG_MEMORYOP_EA, i, IARG_MEMORYOP_PA, i, IARG_END);
}

static VOID Places(INS ins, VOID *)
{
    if (Find(INS_Address(ins)) == NULL || strcmp(Find(INS_Address(ins))->name, "aliases"))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Place), IARG_PTR, "code:", IARG_INST_PA, IARG_END);
    if (INS_IsMemoryRead(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Place), IARG_PTR, "read:", IARG_MEMORYREAD_PA, IARG_END);
    if (INS_IsMemoryWrite(ins))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Place), IARG_PTR, "write:", IARG_MEMORYWRITE_PA, IARG_END);
}

static VOID Trace(TRACE trace, VOID *)
{
    for (BBL bbl = TRACE_BblHead(trace); BBL_Valid(bbl); bbl = BBL_Next(bbl)) {
        Part *p = Find(BBL_Address(bbl));
        if (!p)
            continue;
        BBL_InsertIfCall(bbl, IPOINT_BEFORE, AFUNPTR(IsFirst), IARG_PTR, p, IARG_END);
        BBL_InsertThenCall(bbl, IPOINT_BEFORE, AFUNPTR(Opcode), IARG_PTR, &p->opcodes["first-block"], IARG_END);
        BBL_InsertCall(bbl, IPOINT_BEFORE, AFUNPTR(Block), IARG_PTR, p, IARG_UINT32, BBL_NumIns(bbl), IARG_END);
    }
}

static VOID Fini(INT32, VOID *)
{
    for (Part *p : parts) {
        fprintf(stderr, "tool %s instructions=%lu user=%lu blocks=%lu reads=%lu writes=%lu read_bytes=%lu written_bytes=%lu predicated=%lu both=%lu updates=%lu other_physical=%lu first=0x%lx last=0x%lx "
                "processors=%zu privileges=%zu", p->name, p->instructions, p->user, p->in_blocks, p->reads, p->writes, p->read_bytes, p->written_bytes, p->predicated, p->both, p->updates, p->other_physical,
                p->first, p->last, p->processors.size(), p->privileges.size());
        for (const auto &o : p->opcodes)
            fprintf(stderr, " %s=%lu", o.first.c_str(), o.second);
        for (const auto &o : strcmp(p->name, "aliases") ? std::map<std::string, UINT64>() : places)
            fprintf(stderr, " %s=%lu", o.first.c_str(), o.second);
        fprintf(stderr, "\n");
    }
}

int main(int argc, char **argv)
{
    PIN_InitLock(&lock);
    if (PIN_Init(argc, argv))
        return 1;
    for (UINT32 i = 0; i < KnobPart.NumberOfValues(); i++) {
        Part *p = new Part();
        if (sscanf(KnobPart.Value(i).c_str(), "%31[^=]=%lx-%lx", p->name, &p->from, &p->to) == 3)
            parts.push_back(p);
    }
    INS_AddInstrumentFunction(Ins, 0);
    if (KnobPhysical)
        INS_AddInstrumentFunction(Places, 0);
    TRACE_AddInstrumentFunction(Trace, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
