/* SPDX-License-Identifier: Apache-2.0
 * Analysis routines of which each instruction is given: what is made of them when they are inlined, with constants in them and in parts, must be what they are when they are called. */
#include "golden.h"

extern "C" {
extern volatile UINT64 body_sum[8], body_table[8], body_home[2][64];
VOID body_home_a(ADDRINT), body_home_b(ADDRINT), body_vector(ADDRINT);
VOID body_narrow(ADDRINT), body_scaled(UINT32, UINT64 *), body_joined(ADDRINT, ADDRINT), body_plain(ADDRINT), body_part(ADDRINT), body_ways(ADDRINT, ADDRINT, ADDRINT, ADDRINT), body_signed(UINT32);
}
volatile UINT64 body_sum[8], body_table[8], body_home[2][64];

__asm__(".text\n"
        "body_narrow: mov %edi, %eax; xor %rax, body_sum(%rip); ret\n"                                             // the low half of a wide constant; no counter
        "body_scaled: notq (%rsi,%rdi,8); ret\n"
        "body_joined: test %rsi, %rsi; je 1f; mov %rdi, %rsi; 1: add %rsi, body_sum+8(%rip); ret\n"                // a copy of an argument over another one that is needed
        "body_plain: add %rdi, body_sum+16(%rip); ret\n"
        "body_part: test $1, %dil; jne 1f; incq body_sum+24(%rip); ret; 1: push %rbx; mov $7, %eax; add %rax, body_sum+24(%rip); pop %rbx; ret\n"
        "body_ways: test $1, %dil; jne 1f; incq body_sum+32(%rip); ret\n"
        "1: push %rbx; test $2, %dil; je 2f; add %rsi, body_sum+32(%rip); pop %rbx; ret; 2: add %rcx, body_sum+32(%rip); pop %rbx; ret\n" // each way reads another argument, none of them where results are
        "body_home_a: xor %rdi, body_home(%rip); notq body_home+8(%rip); ret\n" // the data of each is relative to one register, which goes from trace to trace
        "body_home_b: xor %rdi, body_home+512(%rip); notq body_home+520(%rip); ret\n"
        "body_vector: movq %rdi, %xmm8; paddq %xmm8, %xmm8; movq %xmm8, %rdi; add %rdi, body_sum+48(%rip); ret\n"
        "body_signed: movsbq %dil, %rdi; add %rdi, body_sum+40(%rip); ret\n");

static VOID Instruction(INS ins, VOID *)
{
    if (!in_range(ins))
        return;
    std::string which = option("body");
    if (which == "narrow")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(body_narrow), IARG_ADDRINT, 0x123456789, IARG_END);
    else if (which == "scaled")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(body_scaled), IARG_UINT32, 3, IARG_PTR, body_table, IARG_END);
    else if (which == "joined")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(body_joined), IARG_REG_VALUE, REG_RBX, IARG_REG_VALUE, REG_R12, IARG_END);
    else if (which == "rax")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(body_plain), IARG_REG_VALUE, REG_RAX, IARG_END);
    else if (which == "part")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(body_part), IARG_REG_VALUE, REG_RBX, IARG_END);
    else if (which == "ways")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(body_ways), IARG_REG_VALUE, REG_RBX, IARG_REG_VALUE, REG_R13, IARG_UINT32, 0, IARG_REG_VALUE, REG_R14, IARG_END);
    else if (which == "vector")
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(body_vector), IARG_REG_VALUE, REG_RBX, IARG_END);
    else if (which == "homes")
        INS_InsertCall(ins, IPOINT_BEFORE, INS_Address(ins) < at("at_ways") ? AFUNPTR(body_home_a) : AFUNPTR(body_home_b), IARG_REG_VALUE, REG_RBX, IARG_END);
    else
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(body_signed), IARG_UINT32, 0xfd, IARG_END);
}

static VOID Fini(INT32 status, VOID *)
{
    for (int i = 0; i < 6; i++)
        std::printf("%lx ", body_sum[i]);
    if (option("body") == std::string("homes"))
        std::printf("homes %lx %lx %lx %lx ", body_home[0][0], body_home[0][1], body_home[1][0], body_home[1][1]);
    if (option("body") == std::string("vector"))
        std::printf("vector %lx ", body_sum[6]);
    std::printf("table %lx %lx %lx, status %d\n", body_table[0], body_table[3], body_table[6], status);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
