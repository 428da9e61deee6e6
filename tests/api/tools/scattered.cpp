/* SPDX-License-Identifier: Apache-2.0
 * INS_RewriteScatteredMemoryOperand, IARG_REWRITE_SCATTERED_MEMOP: every gather of the guest gets its elements from the other table, or (setting same=1) from where it would have got them; plain=1: is left alone. Rule A44. */
#include "golden.h"

static REG data_reg, mask_reg;

static VOID Move(ISCATTERED_MEMORY_REWRITE *op, ADDRINT from, ADDRINT to)
{
    std::printf("%u elements:", op->NumOfElements());
    for (UINT32 i = 0; i < op->NumOfElements(); i++) {
        std::printf(" %u+%u%s 0x%lx", op->ElementOffset(i), op->ElementSize(i), op->ElementMaskValue(i) ? "" : " off", op->ElementAddress(i));
        if (op->ElementAddress(i) >= from && op->ElementAddress(i) < from + 128)
            op->SetElementAddress(i, op->ElementAddress(i) - from + to);
    }
    std::printf("\n");
}
static VOID Swap(ISCATTERED_MEMORY_REWRITE *op)
{
    ADDRINT first = op->ElementAddress(0);
    op->SetElementAddress(0, op->ElementAddress(1));
    op->SetElementAddress(1, first);
}
static VOID Show(const PIN_REGISTER *data, const PIN_REGISTER *mask)
{
    std::printf("  %lx %lx %lx %lx, mask %lx %lx %lx %lx\n", data->qword[0], data->qword[1], data->qword[2], data->qword[3], mask->qword[0], mask->qword[1], mask->qword[2], mask->qword[3]);
}
static VOID Count(ADDRINT *n) { ++*n; }
static ADDRINT after_last;

static REG Whole(REG reg) { return static_cast<REG>(REG_YMM_BASE + (REG_is_xmm(reg) ? reg - REG_XMM_BASE : reg - REG_YMM_BASE)); }

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsVgather(ins))
        return;
    data_reg = Whole(INS_OperandReg(ins, 0));
    mask_reg = Whole(INS_OperandReg(ins, 2));
    bool moved = !option("same") && !option("plain");
    if (!option("plain"))
        INS_RewriteScatteredMemoryOperand(ins, 0);
    if (moved)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Move), IARG_REWRITE_SCATTERED_MEMOP, IARG_ADDRINT, at("at_table"), IARG_ADDRINT, at("at_other"), IARG_END);
    if (is_at(ins, "at_twice") && moved)
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Swap), IARG_REWRITE_SCATTERED_MEMOP, IARG_END);
    INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Show), IARG_REG_CONST_REFERENCE, data_reg, IARG_REG_CONST_REFERENCE, mask_reg, IARG_END);
    INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Count), IARG_PTR, &after_last, IARG_END);
}

static VOID Fini(INT32 status, VOID *) { std::printf("%lu gathers, status %d\n", after_last, status); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
