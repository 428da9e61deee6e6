/* SPDX-License-Identifier: Apache-2.0
 * A tool in C: pin.h, its knobs, handles, prototypes and sets. Also run: run.py checks what it prints. */
#include "pin.h"

PIN_KNOB_STRING(out_name, "o", "plain.out", "output")
PIN_KNOB_BOOL(flag, "flag", false, "a flag")
PIN_KNOB_INT(number, "number", -3, "a number")
PIN_KNOB_UINT(limit, "limit", 10, "a limit")
PIN_KNOB_FLOAT(rate, "rate", 0.5, "a rate")

static UINT64 count;

static VOID count_one(void)
{
    count++;
}

static VOID instruction(INS ins, VOID *v)
{
    (void)v;
    INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)count_one, IARG_END);
    if (!INS_Equal(INS_Next(ins), INS_Invalid()))
        puts(INS_Disassemble(ins));
}

static VOID fini(INT32 code, VOID *v)
{
    (void)v;
    printf("%d %lu\n", code, count);
}

int main(int argc, char **argv)
{
    PARG_T pointer = PIN_PARG(const char *), word = PIN_PARG(size_t), nothing = PIN_PARG(void), byte = PIN_PARG(unsigned char);
    REGSET set;
    if (PIN_Init(argc, argv)) {
        PIN_KnobSummary(stdout);
        return 1;
    }
    REGSET_Clear(&set);
    REGSET_Insert(&set, REG_XMM3);
    printf("o=%s flag=%d number=%ld limit=%lu rate=%g\n", out_name, flag, number, limit, rate);
    printf("%d/%u %d/%u %d/%u %d/%u %d%d %zu\n", pointer.kind, pointer.size, word.kind, word.size, nothing.kind, nothing.size, byte.kind, byte.size, REGSET_Contains(&set, REG_XMM3),
           REGSET_Contains(&set, REG_RAX), sizeof(INS));
    INS_AddInstrumentFunction(instruction, NULL);
    PIN_AddFiniFunction(fini, NULL);
    PIN_StartProgram(NULL);
}
