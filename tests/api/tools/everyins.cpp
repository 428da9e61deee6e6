/* SPDX-License-Identifier: Apache-2.0
 * A routine that is no leaf and clobbers what it may, before every instruction: the guest must not notice (mode `tool` of tests/run.py). It is given the registers as a context and by value, and the
 * addresses of memory operands, which must agree. Prints nothing, unless they do not: then the process ends with status 99. */
#include "pin.H"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>
#include <unistd.h>

static volatile double sink;

/* An address as the encoding has it. */
struct operand {
    REG base, index;
    UINT32 scale;
    ADDRDELTA disp;
    ADDRINT pc, next;
    UINT32 bits;
};

static VOID Disagree(const char *what, ADDRINT pc, ADDRINT a, ADDRINT b)
{
    char text[160];
    int n = std::snprintf(text, sizeof text, "everyins: %s at 0x%lx: 0x%lx and 0x%lx\n", what, pc, a, b);
    if (write(2, text, n) != n)
        _exit(98);
    _exit(99);
}

static VOID __attribute__((noinline)) Deep(ADDRINT pc, UINT32 size)
{
    char text[256];
    std::memset(text, (int)pc, sizeof text);
    sink = std::sqrt((double)(pc + size + (unsigned char)text[size]));
}

/* Leaves state in use that is not the program's: x87, upper halves of vectors, the registers of AVX-512. In turns, because they are restored in different ways. */
static VOID Spoil(unsigned turn)
{
    static const bool avx = __builtin_cpu_supports("avx2"), avx512 = __builtin_cpu_supports("avx512bw");
    if (turn % 4 == 1)
        __asm__ volatile("fld1; fstp %%st(0)" : : : "st");
    else if (turn % 4 == 2 && avx)
        __asm__ volatile("vpcmpeqd %%ymm2,%%ymm2,%%ymm2; vpcmpeqd %%ymm14,%%ymm14,%%ymm14" : : : "xmm2", "xmm14");
    else if (turn % 4 == 3 && avx512)
        __asm__ volatile("vpternlogd $255,%%zmm4,%%zmm4,%%zmm4; vpternlogd $255,%%zmm17,%%zmm17,%%zmm17; kxnorq %%k3,%%k3,%%k3; kxnorq %%k0,%%k0,%%k0" : : : "xmm4");
}

static VOID Analyse(ADDRINT pc, UINT32 size, const CONTEXT *c, ADDRINT sp, ADDRINT rax, ADDRINT flags)
{
    Deep(pc, size);
    if (PIN_GetContextReg(c, REG_INST_PTR) != pc)
        Disagree("pc", pc, PIN_GetContextReg(c, REG_INST_PTR), pc);
    if (PIN_GetContextReg(c, REG_STACK_PTR) != sp)
        Disagree("sp", pc, PIN_GetContextReg(c, REG_STACK_PTR), sp);
    if (PIN_GetContextReg(c, REG_RAX) != rax)
        Disagree("rax", pc, PIN_GetContextReg(c, REG_RAX), rax);
    if (PIN_GetContextReg(c, REG_RFLAGS) != flags)
        Disagree("flags", pc, PIN_GetContextReg(c, REG_RFLAGS), flags);
    static unsigned turn;
    Spoil(turn++);
    __asm__ volatile("xor %%eax,%%eax; cmp $1,%%eax; pcmpeqd %%xmm0,%%xmm0; pcmpeqd %%xmm15,%%xmm15; std; cld" : : : "rax", "xmm0", "xmm15", "cc");
}

static VOID Address(const operand *o, ADDRINT ea, const CONTEXT *c)
{
    ADDRINT want = o->disp;
    if (o->base == REG_INST_PTR)
        want += o->next;
    else if (REG_valid(o->base))
        want += PIN_GetContextReg(c, o->base);
    if (REG_valid(o->index))
        want += PIN_GetContextReg(c, o->index) * o->scale;
    if (o->bits < 64)
        want &= o->bits == 16 ? 0xffff : 0xffffffff;
    if (want != ea)
        Disagree("address", o->pc, want, ea);
}

/* What the encoding says is all there is to it. */
static bool Plain(INS ins, UINT32 n)
{
    bool segment = REG_valid(INS_OperandMemorySegmentReg(ins, n)), pop = INS_Mnemonic(ins) == "POP" || INS_Mnemonic(ins) == "XLAT";
    bool bit = INS_Mnemonic(ins).compare(0, 2, "BT") == 0 && INS_OperandIsReg(ins, 1); /* whose number is a part of the address */
    return !INS_OperandIsImplicit(ins, n) && !segment && !pop && !bit;
}

static VOID Addresses(INS ins)
{
    static std::map<std::vector<ADDRINT>, operand> operands; /* translated again, an instruction gets the same ones */
    for (UINT32 i = 0; i < INS_MemoryOperandCount(ins); i++) {
        UINT32 n = INS_MemoryOperandIndexToOperandIndex(ins, i);
        if (!Plain(ins, n))
            continue;
        operand o = {INS_OperandMemoryBaseReg(ins, n), INS_OperandMemoryIndexReg(ins, n), INS_OperandMemoryScale(ins, n), INS_OperandMemoryDisplacement(ins, n), INS_Address(ins),
                     INS_NextAddress(ins), INS_EffectiveAddressWidth(ins)};
        if (o.base == REG_EIP)
            o.base = REG_INST_PTR;
        std::vector<ADDRINT> key = {o.pc, o.next, (ADDRINT)o.base, (ADDRINT)o.index, o.scale, (ADDRINT)o.disp, o.bits};
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Address), IARG_PTR, &(operands[key] = o), IARG_MEMORYOP_EA, i, IARG_CONST_CONTEXT, IARG_END);
    }
}

static VOID Instruction(INS ins, VOID *)
{
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Analyse), IARG_INST_PTR, IARG_UINT32, (UINT32)INS_Size(ins), IARG_CONST_CONTEXT, IARG_REG_VALUE, REG_STACK_PTR, IARG_REG_VALUE, REG_RAX,
                   IARG_REG_VALUE, REG_RFLAGS, IARG_END);
    if (!INS_HasScatteredMemoryAccess(ins))
        Addresses(ins);
}

int main(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        return 1;
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}
