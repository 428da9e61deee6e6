/* SPDX-License-Identifier: Apache-2.0
 * Constants of each width, ten arguments, thread number, fall-through address, at at_here; and after it. */
#include "golden.h"

static VOID Constants(BOOL yes, BOOL no, UINT32 small, UINT64 wide, ADDRINT addr, VOID *ptr)
{
    std::printf("bool %d %d uint32 0x%x uint64 0x%lx addrint 0x%lx ptr %p\n", yes, no, small, wide, addr, ptr);
}

static VOID Ten(ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d, ADDRINT e, ADDRINT f, ADDRINT g, ADDRINT h, ADDRINT i, ADDRINT j)
{
    std::printf("ten 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx 0x%lx\n", a, b, c, d, e, f, g, h, i, j);
}

static VOID Place(const char *name, ADDRINT pc, ADDRINT next, THREADID thread) { std::printf("%s 0x%lx 0x%lx thread %u\n", name, pc, next, thread); }

static UINT64 tsc;
static VOID Tsc(UINT64 now, ADDRINT rdx)
{
    std::printf("tsc %s rdx 0x%lx\n", now > tsc ? "grows" : "does not grow", rdx);
    tsc = now;
}

static ADDRINT eleven[11];
static VOID LeafEleven(ADDRINT a, ADDRINT b, ADDRINT c, ADDRINT d, ADDRINT e, ADDRINT f, ADDRINT g, ADDRINT h, ADDRINT i, ADDRINT j, ADDRINT k)
{
    eleven[0] = a, eleven[1] = b, eleven[2] = c, eleven[3] = d, eleven[4] = e, eleven[5] = f, eleven[6] = g, eleven[7] = h, eleven[8] = i, eleven[9] = j, eleven[10] = k;
}

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_here")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Constants), IARG_BOOL, TRUE, IARG_BOOL, FALSE, IARG_UINT32, 0xfffffffe, IARG_UINT64, 0xfedcba9876543210ul, IARG_ADDRINT, (ADDRINT)-1, IARG_PTR, (VOID *)0x1234, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Ten), IARG_REG_VALUE, REG_R9, IARG_REG_VALUE, REG_R8, IARG_REG_VALUE, REG_RCX, IARG_REG_VALUE, REG_RDX, IARG_REG_VALUE, REG_RSI,
                       IARG_REG_VALUE, REG_RDI, IARG_REG_VALUE, REG_RAX, IARG_REG_VALUE, REG_R11, IARG_REG_VALUE, REG_RSP, IARG_INST_PTR, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Place), IARG_PTR, "before", IARG_INST_PTR, IARG_FALLTHROUGH_ADDR, IARG_THREAD_ID, IARG_END);
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Place), IARG_PTR, "after", IARG_INST_PTR, IARG_FALLTHROUGH_ADDR, IARG_THREAD_ID, IARG_END);
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Place), IARG_PTR, "rip after", IARG_REG_VALUE, REG_INST_PTR, IARG_REG_VALUE, REG_RBX, IARG_THREAD_ID, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Tsc), IARG_TSC, IARG_REG_VALUE, REG_RDX, IARG_END);
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Tsc), IARG_TSC, IARG_REG_VALUE, REG_RDX, IARG_END);
    }
    static REGSET kept;
    REGSET_Insert(kept, REG_RAX);
    if (is_at(ins, "at_here")) /* both say what the engine does anyway, or what is not needed; the arguments around them stay */
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Place), IARG_PRESERVE, &kept, IARG_PTR, "preserve", IARG_CHECK_INLINE, IARG_INST_PTR, IARG_FALLTHROUGH_ADDR, IARG_THREAD_ID, IARG_END);
    if (is_at(ins, "at_leaf"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(LeafEleven), IARG_REG_VALUE, REG_R15, IARG_REG_VALUE, REG_R9, IARG_REG_VALUE, REG_R8, IARG_REG_VALUE, REG_RCX, IARG_REG_VALUE, REG_RDX, IARG_REG_VALUE, REG_RSI,
                       IARG_REG_VALUE, REG_RDI, IARG_REG_VALUE, REG_RAX, IARG_REG_VALUE, REG_R11, IARG_REG_VALUE, REG_R10, IARG_REG_VALUE, REG_RSP, IARG_END);
}

static VOID Fini(INT32 status, VOID *arg)
{
    for (int i = 0; i < 11; i++)
        std::printf("0x%lx%s", eleven[i], i < 10 ? " " : "\n");
    std::printf("fini %d %s\n", status, (const char *)arg);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, (VOID *)"arg");
    PIN_StartProgram();
}
