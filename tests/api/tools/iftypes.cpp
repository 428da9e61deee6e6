/* SPDX-License-Identifier: Apache-2.0
 * What a routine of InsertIfCall may return: a word, or a bool with anything above its byte. Also sizes of accesses that are not there, and questions about operands that are not there. Rules A22, A23. */
#include "golden.h"

/* bool f(unsigned long n) with rubbish above the byte: from an address, through another register, and on one of two ways only. Then words whose low byte is 0. */
asm(".text\n"
    "dirty: lea dirty(%rip), %rax\n cmp $2, %rdi\n seta %al\n ret\n"
    "moved: xor %ecx, %ecx\n cmp $9, %rdi\n jae 1f\n lea dirty(%rip), %rcx\n cmp $2, %rdi\n seta %cl\n 1: mov %ecx, %eax\n ret\n"
    "joined: lea dirty(%rip), %rax\n mov %rax, %rdx\n cmp $2, %rdi\n seta %al\n cmp $4, %rdi\n setb %dl\n and %edx, %eax\n ret\n"
    "word: mov %rdi, %rax\n shl $8, %rax\n ret\n"
    "high: mov %rdi, %rax\n shl $40, %rax\n ret\n"
    "clean: xor %eax, %eax\n cmp $2, %rdi\n seta %al\n shl $8, %rax\n ret\n");
extern "C" {
BOOL dirty(ADDRINT n) asm("dirty");
BOOL moved(ADDRINT n) asm("moved");
BOOL joined(ADDRINT n) asm("joined");
ADDRINT word(ADDRINT n) asm("word");
ADDRINT high(ADDRINT n) asm("high");
ADDRINT clean(ADDRINT n) asm("clean");
}
/* As a compiler makes them. */
static volatile ADDRINT limit = 2;
static BOOL Compiled(ADDRINT n) { return n > limit && n < 9; }
static int Int(ADDRINT n) { return n > limit ? int(n) : 0; }

static UINT64 called[8];
static VOID Then(UINT64 *n) { ++*n; }
static VOID Sizes(UINT32 operands, UINT32 read, UINT32 written) { std::printf("%04u: %u read, %u written\n", operands, read, written); }

static VOID Instruction(INS ins, VOID *)
{
    if (is_at(ins, "at_loop")) {
        const AFUNPTR list[] = {AFUNPTR(dirty), AFUNPTR(moved), AFUNPTR(joined), AFUNPTR(word), AFUNPTR(high), AFUNPTR(clean), AFUNPTR(Compiled), AFUNPTR(Int)};
        for (int i = 0; i < 8; i++) {
            INS_InsertIfCall(ins, IPOINT_BEFORE, list[i], IARG_REG_VALUE, REG_RCX, IARG_END);
            INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Then), IARG_PTR, &called[i], IARG_END);
        }
    }
    if (is_at(ins, "at_store") || is_at(ins, "at_load") || is_at(ins, "at_none")) {
        UINT32 operands = 1000 * INS_MemoryOperandIsRead(ins, 0) + 100 * INS_MemoryOperandIsWritten(ins, 0) + 10 * INS_MemoryOperandIsRead(ins, 1) + INS_MemoryOperandIsWritten(ins, 1);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Sizes), IARG_UINT32, operands, IARG_MEMORYREAD_SIZE, IARG_MEMORYWRITE_SIZE, IARG_END);
    }
}

static ADDRINT Always() { return 1; }
static UINT64 stored, walked;

/* If always, then only for iterations that are executed. */
static VOID Repeated(INS ins, VOID *)
{
    if (!INS_HasRealRep(ins))
        return;
    INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Always), IARG_END);
    INS_InsertThenPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Then), IARG_PTR, &stored, IARG_END);
    for (SEC sec = IMG_SecHead(IMG_FindByAddress(0)); SEC_Valid(sec); sec = SEC_Next(sec))
        walked++;
    walked += INS_Address(INS_Invalid());
}

static VOID Fini(INT32, VOID *)
{
    std::printf("%lu stored, %lu walked\n", stored, walked);
    for (int i = 0; i < 8; i++)
        std::printf(i < 7 ? "%lu " : "%lu\n", called[i]);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    INS_AddInstrumentFunction(Repeated, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
