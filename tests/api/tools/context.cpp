/* SPDX-License-Identifier: Apache-2.0
 * Contexts: reading and writing every kind of register, copies, partial contexts, PIN_ExecuteAt; references and results in registers of every kind. Rules A27, A28, A29. */
#include "golden.h"

typedef unsigned long ulong;

static ADDRINT reg(const CONTEXT *c, REG r) { return PIN_GetContextReg(c, r); }

static VOID ShowVector(const CONTEXT *c, REG r)
{
    UINT64 v[8];
    PIN_GetContextRegval(c, r, (UINT8 *)v);
    std::printf("%s", REG_StringShort(r).c_str());
    for (UINT32 i = 0; i < REG_Size(r) / 8; i++)
        std::printf(" %lx", v[i]);
    std::printf("\n");
}

static VOID ShowSt(const CONTEXT *c, REG r)
{
    UINT8 v[10];
    PIN_GetContextRegval(c, r, v);
    std::printf("%s %x %lx\n", REG_StringShort(r).c_str(), *(UINT16 *)(v + 8), *(UINT64 *)v);
}

static VOID Show(const CONTEXT *c)
{
    std::printf("rbx 0x%lx bx 0x%lx bh 0x%lx ecx 0x%lx\n", reg(c, REG_RBX), reg(c, REG_BX), reg(c, REG_BH), reg(c, REG_ECX));
    std::printf("fs base 0x%lx gs base 0x%lx\n", reg(c, REG_SEG_FS_BASE), reg(c, REG_SEG_GS_BASE));
    std::printf("cs 0x%lx ss 0x%lx\n", reg(c, REG_SEG_CS), reg(c, REG_SEG_SS));
    std::printf("rip 0x%lx eip 0x%lx rflags 0x%lx flags 0x%lx status 0x%lx df 0x%lx\n", reg(c, REG_RIP), reg(c, REG_EIP), reg(c, REG_RFLAGS), reg(c, REG_FLAGS), reg(c, REG_STATUS_FLAGS),
                reg(c, REG_DF_FLAG));
    std::printf("fpcw 0x%lx fpsw 0x%lx fptag 0x%lx full 0x%lx mxcsr 0x%lx\n", reg(c, REG_FPCW), reg(c, REG_FPSW), reg(c, REG_FPTAG), reg(c, REG_FPTAG_FULL), reg(c, REG_MXCSR));
    ShowSt(c, REG_ST0);
    ShowSt(c, REG_ST1);
    std::printf("mm6 0x%lx mm7 0x%lx\n", reg(c, REG_MM6), reg(c, REG_MM7));
    ShowVector(c, REG_XMM5);
    ShowVector(c, REG_YMM5);
    ShowVector(c, REG_YMM15);
    static FPSTATE fp;
    FXSAVE fx;
    PIN_GetContextFXSave(c, &fx);
    std::printf("fxsave: fcw 0x%x fsw 0x%x ftw 0x%x mxcsr 0x%x xmm5 %lx\n", fx._fcw, fx._fsw, fx._ftw, fx._mxcsr, fx._xmms[5]._vec64[0]);
    PIN_GetContextFPState(c, &fp);
    std::printf("fpstate: fcw 0x%x ymm5 upper %lx\n", fp.fxsave_legacy._fcw, *(UINT64 *)(fp._xstate._ymmUpper + 5 * 16));
    PIN_GetContextRegval(c, REG_X87, (UINT8 *)&fx);
    std::printf("x87 register: fcw 0x%x\n", fx._fcw);
}

static VOID ShowValues(ADDRINT ebx, ADDRINT eflags, ADDRINT fs, ADDRINT cs, ADDRINT mxcsr, ADDRINT fpcw)
{
    std::printf("by value: ebx 0x%lx eflags 0x%lx fs base 0x%lx cs 0x%lx mxcsr 0x%lx fpcw 0x%lx\n", ebx, eflags, fs, cs, mxcsr, fpcw);
}

static VOID ShowReferences(ADDRINT, const UINT64 *ymm5, const UINT16 *st1, const UINT64 *mm7, const UINT16 *bx, ADDRINT, ADDRINT, ADDRINT last)
{
    std::printf("by reference: ymm5 %lx st1 %x mm7 %lx bx %x\n", ymm5[3], st1[4], *mm7, *bx);
    if (last != 77)
        std::printf("last argument %lu\n", last);
}

static VOID Compare(CONTEXT *copy, const CONTEXT *live)
{
    CONTEXT saved;
    REGSET all = PIN_GetFullContextRegsSet();
    PIN_SaveContext(copy, &saved);
    UINT8 a[1024], b[1024], c[1024];
    for (REG r = all.PopNext(); r != REG_INVALID_; r = all.PopNext()) {
        PIN_GetContextRegval(copy, r, a);
        PIN_GetContextRegval(live, r, b);
        PIN_GetContextRegval(&saved, r, c);
        if (std::memcmp(a, b, REG_Size(r)) || std::memcmp(a, c, REG_Size(r)))
            std::printf("%s differs\n", REG_StringShort(r).c_str());
    }
    FXSAVE fx;
    PIN_GetContextFXSave(copy, &fx);
    fx._fcw = 0x33f;
    fx._xmms[5]._vec64[1] = 0x1234;
    PIN_SetContextFXSave(&saved, &fx);
    PIN_GetContextRegval(&saved, REG_YMM5, a);
    PIN_GetContextRegval(copy, REG_YMM5, b);
    std::printf("fxsave set: fcw 0x%lx xmm5 0x%lx upper half %s; the other's fcw 0x%lx\n", reg(&saved, REG_FPCW), ((UINT64 *)a)[1], std::memcmp(a + 16, b + 16, 16) ? "changed" : "as it was", reg(copy, REG_FPCW));
    static FPSTATE fp;
    PIN_GetContextFPState(copy, &fp);
    const XSAVE_HEADER &header = fp._xstate._header;
    std::printf("header: all present %d, compact 0x%lx\n", (header._mask & 7) == 7, header._compact);
    PIN_SetContextReg(copy, REG_RBX, 1);
    PIN_SetContextReg(&saved, REG_RBX, 2);
    PIN_SetContextReg(copy, REG_R12, 0x1112131415161718);
    PIN_SetContextReg(copy, REG_R12B, 0x28);
    ADDRINT byte = reg(copy, REG_R12);
    PIN_SetContextReg(copy, REG_R12W, 0x3738);
    ADDRINT word = reg(copy, REG_R12);
    PIN_SetContextReg(copy, REG_R12D, 0x45464748);
    std::printf("r12 by its parts: 0x%lx 0x%lx 0x%lx\n", byte, word, reg(copy, REG_R12));
    std::printf("a context and its copies agree; states %d %d %d\n", PIN_ContextContainsState(copy, PROCESSOR_STATE_X87), PIN_ContextContainsState(&saved, PROCESSOR_STATE_XMM),
                PIN_SupportsProcessorState(PROCESSOR_STATE_YMM));
}

/* Registers of the tool's own: in the context, its copies, and set by PIN_ExecuteAt. */
static REG own;
static VOID Start(THREADID, CONTEXT *c, INT32, VOID *) { PIN_SetContextReg(c, own, 0x1234567890); }
static VOID OwnShow(const char *text, ADDRINT value) { std::printf("own %s 0x%lx\n", text, value); }

static VOID Execute(CONTEXT *c, ADDRINT to, ADDRINT fs)
{
    UINT64 ymm[4] = {0xa0a1a2a3a4a5a6a7, 1, 2, 0xb8b9babbbcbdbebf};
    UINT8 pi[10];
    PIN_GetContextRegval(c, REG_ST1, pi);
    PIN_SetContextRegval(c, REG_ST0, pi);
    PIN_SetContextReg(c, REG_RBX, 0x2122232425262728);
    PIN_SetContextReg(c, REG_RFLAGS, PIN_GetContextReg(c, REG_RFLAGS) | 1);
    PIN_SetContextRegval(c, REG_YMM5, (UINT8 *)ymm);
    PIN_SetContextReg(c, REG_MXCSR, 0x3f80);
    std::printf("own in the context 0x%lx\n", PIN_GetContextReg(c, own));
    PIN_SetContextReg(c, own, 0x77);
    PIN_SetContextReg(c, REG_FPCW, 0x37f);
    PIN_SetContextReg(c, REG_SEG_FS_BASE, fs);
    PIN_SetContextReg(c, REG_INST_PTR, to);
    PIN_ExecuteAt(c);
    std::printf("not here\n");
}

static VOID Partial(CONTEXT *c)
{
    UINT64 v[4];
    PIN_GetContextRegval(c, REG_YMM5, (UINT8 *)v);
    std::printf("partial: rax 0x%lx ymm5 %lx\n", reg(c, REG_RAX) & 1, v[3]);
    v[2] = 0x4142434445464748;
    PIN_SetContextRegval(c, REG_YMM6, (UINT8 *)v);
    PIN_SetContextReg(c, REG_RBX, 0x3132333435363738);
    PIN_SetContextReg(c, REG_RCX, 0xbad);
    PIN_SetContextReg(c, REG_MXCSR, 0x1f80);
}

static VOID SetReferences(UINT16 *ax, UINT64 *ymm7, UINT8 *st0, UINT16 *fpcw)
{
    *ax = 0xabcd;
    ymm7[0] = 0x6162636465666768;
    ymm7[3] = 0x7172737475767778;
    *(UINT64 *)st0 = 0x8000000000000000; /* 4.0 */
    *(UINT16 *)(st0 + 8) = 0x4001;
    *fpcw = 0xf7f;
}

static ADDRINT Give(ADDRINT v) { return v; }

static VOID SetFpState(CONTEXT *c, ADDRINT next)
{
    static FPSTATE fp;
    PIN_GetContextFPState(c, &fp);
    fp.fxsave_legacy._sts[0]._fp._significand = 0xa000000000000000;
    fp.fxsave_legacy._sts[0]._fp._exponent = 0x3fff;
    fp.fxsave_legacy._fsw = 7 << 11;
    fp.fxsave_legacy._ftw = 0x80;
    fp.fxsave_legacy._xmms[9]._vec64[0] = 0x0102030405060708;
    PIN_SetContextFPState(c, &fp);
    PIN_SetContextReg(c, REG_INST_PTR, next);
    PIN_ExecuteAt(c);
}

static CONTEXT saved;
static bool once;
static VOID Save(const CONTEXT *c)
{
    if (once)
        return;
    PIN_SaveContext(c, &saved);
    std::printf("saved rbx 0x%lx\n", reg(&saved, REG_RBX));
}
static VOID Rollback()
{
    if (once) {
        std::printf("rolled back\n");
        return;
    }
    once = true;
    PIN_ExecuteAt(&saved);
}

static VOID Instruction(INS ins, VOID *)
{
    ADDRINT pc = INS_Address(ins), next = pc + INS_Size(ins);
    if (is_at(ins, "at_show")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Show), IARG_CONST_CONTEXT, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(ShowValues), IARG_REG_VALUE, REG_EBX, IARG_REG_VALUE, REG_EFLAGS, IARG_REG_VALUE, REG_SEG_FS_BASE, IARG_REG_VALUE, REG_SEG_CS, IARG_REG_VALUE,
                       REG_MXCSR, IARG_REG_VALUE, REG_FPCW, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(ShowReferences), IARG_ADDRINT, 1, IARG_REG_CONST_REFERENCE, REG_YMM5, IARG_REG_CONST_REFERENCE, REG_ST1, IARG_REG_REFERENCE, REG_MM7,
                       IARG_REG_CONST_REFERENCE, REG_BX, IARG_ADDRINT, 6, IARG_ADDRINT, 7, IARG_ADDRINT, 77, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Compare), IARG_CONTEXT, IARG_CONST_CONTEXT, IARG_END);
    }
    if (is_at(ins, "at_execute"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Execute), IARG_CONTEXT, IARG_ADDRINT, at("at_after_execute"), IARG_ADDRINT, at("at_other"), IARG_END);
    if (is_at(ins, "at_show"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(OwnShow), IARG_PTR, "set when the thread began", IARG_REG_VALUE, own, IARG_END);
    if (is_at(ins, "at_after_execute"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(OwnShow), IARG_PTR, "after PIN_ExecuteAt", IARG_REG_VALUE, own, IARG_END);
    if (is_at(ins, "at_partial")) {
        REGSET in, out;
        REGSET_Insert(in, REG_RAX);
        REGSET_Insert(in, REG_YMM5);
        REGSET_Insert(out, REG_RBX);
        REGSET_Insert(out, REG_YMM6);
        REGSET_Insert(out, REG_MXCSR);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Partial), IARG_PARTIAL_CONTEXT, &in, &out, IARG_END);
    }
    if (is_at(ins, "at_reference"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(SetReferences), IARG_REG_REFERENCE, REG_AX, IARG_REG_REFERENCE, REG_YMM7, IARG_REG_REFERENCE, REG_ST0, IARG_REG_REFERENCE, REG_FPCW, IARG_END);
    if (is_at(ins, "at_return")) {
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Give), IARG_ADDRINT, 0x1deadbeef, IARG_RETURN_REGS, REG_R8D, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Give), IARG_ADDRINT, 0x155, IARG_RETURN_REGS, REG_CL, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Give), IARG_ADDRINT, 0x241, IARG_RETURN_REGS, REG_RFLAGS, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Give), IARG_ADDRINT, 0x7f80, IARG_RETURN_REGS, REG_MXCSR, IARG_END);
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Give), IARG_ADDRINT, at("at_third"), IARG_RETURN_REGS, REG_SEG_FS_BASE, IARG_END);
    }
    if (is_at(ins, "at_fpstate"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(SetFpState), IARG_CONTEXT, IARG_ADDRINT, next, IARG_END);
    if (is_at(ins, "at_save"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Save), IARG_CONST_CONTEXT, IARG_END);
    if (is_at(ins, "at_rollback"))
        INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Rollback), IARG_END);
}

static VOID Fini(INT32, VOID *)
{
    UINT8 config[64] = {1};
    config[16 + 2 * 3] = 64;
    config[48 + 3] = 8;
    std::printf("palette %u rows %u bytes %u\n", TileCfg_GetPaletteID(config), TileCfg_GetTileRows(config, REG_TMM3), TileCfg_GetTileBytesPerRow(config, REG_TMM3));
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    own = PIN_ClaimToolRegister();
    PIN_AddThreadStartFunction(Start, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
