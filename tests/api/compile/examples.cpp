/* SPDX-License-Identifier: Apache-2.0
 * A use of each function of the API that no other tool here calls; docs/api.md shows these lines. It is compiled, not
 * run. */
#include "pin.H"

#include <map>

static std::map<std::string, UINT32> kinds;

static VOID Kinds(INS ins)
{
    kinds["jumps or calls"] += INS_IsBranchOrCall(ins);
    kinds["indirect jumps or calls"] += INS_IsIndirectBranchOrCall(ins);
    kinds["sysenter"] += INS_IsSysenter(ins);
    kinds["interrupts"] += INS_IsInterrupt(ins);
    kinds["returns from interrupts"] += INS_IsIRet(ins);
    kinds["exchanges"] += INS_IsXchg(ins);
    kinds["calls of procedures"] += INS_IsProcedureCall(ins);
    kinds["reads of the time stamp"] += INS_IsRDTSC(ins);
    kinds["returns from system calls"] += INS_IsSysret(ins);
    kinds["repeated string instructions"] += INS_Stutters(ins);
    kinds["transactions begun"] += INS_IsXbegin(ins);
    kinds["transactions ended"] += INS_IsXend(ins);
    kinds["flushes"] += INS_IsCacheLineFlush(ins);
    kinds["moves of 64 bytes"] += INS_IsMovdir64b(ins);
    kinds["added"] += INS_IsAddedForFunctionReplacement(ins);
    kinds["tiles"] += INS_IsAmx(ins);
    kinds["far calls"] += INS_IsFarCall(ins);
    kinds["far returns"] += INS_IsFarRet(ins);
    kinds["halts"] += INS_IsHalt(ins);
    kinds["masked moves"] += INS_IsMaskMov(ins);
    kinds["moves to itself"] += INS_IsMovFullRegRegSame(ins);
    kinds["pc as a value"] += INS_IsPcMaterialization(ins);
    kinds["subtractions"] += INS_IsSub(ins);
    kinds["locked"] += INS_LockPrefix(ins);
    kinds["other address size"] += INS_AddressSizePrefix(ins);
    kinds["other operand size"] += INS_OperandSizePrefix(ins);
    kinds["hinted as taken"] += INS_BranchTakenPrefix(ins);
    kinds["hinted as not taken"] += INS_BranchNotTakenPrefix(ins);
    kinds["reads beside the code"] += INS_IsIpRelRead(ins);
    kinds["writes beside the code"] += INS_IsIpRelWrite(ins);
    kinds["reads in a segment"] += INS_SegPrefixIsMemoryRead(ins);
    kinds["writes in a segment"] += INS_SegPrefixIsMemoryWrite(ins);
    kinds["gathers and scatters"] += INS_HasMemoryVector(ins);
}

static VOID Operands(INS ins)
{
    if (INS_HasProperty(ins, INS_PROP_UNSAFE))
        return;
    ADDRDELTA offset = INS_MemoryDisplacement(ins);
    ADDRDELTA delta = INS_MemoryDisplacementSigned(ins);
    ADDRINT address = INS_MemoryOffset(ins);
    REG index = INS_MemoryIndexReg(ins);
    UINT32 scale = INS_MemoryScale(ins);
    UINT32 own_scale = INS_OperandMemoryScale(ins, 0);
    LOG(decstr(offset) + decstr(delta) + hexstr(address) + "\n");
    LOG(REG_StringShort(index) + decstr(scale) + decstr(own_scale) + "\n");
}

/* The operand's address is what a register of the tool's has. */
static VOID Rewrite(INS ins, REG address)
{
    if (!INS_RewriteMemoryAddressingToBaseRegisterOnly(ins, MEMORY_TYPE_READ, address))
        INS_ChangeMemOpToBaseRegisterAddressMode(ins, MEMORY_TYPE_WRITE, address);
}

static VOID Instruction(INS ins, VOID *v)
{
    Kinds(ins);
    Operands(ins);
    Rewrite(ins, *static_cast<REG *>(v));
}

static VOID Routine(RTN rtn, VOID *)
{
    AFUNPTR function = RTN_Funptr(rtn);
    RTN before = RTN_Prev(rtn);
    USIZE bytes = RTN_Range(rtn);
    UINT method = RTN_DynamicMethodId(rtn);
    if (RTN_IsDynamic(rtn) || RTN_IsArtificial(rtn))
        LOG(RTN_Name(rtn) + " after " + RTN_Name(before) + decstr(bytes) + decstr(method) + hexstr(ADDRINT(function)) + "\n");
}

static VOID ProbedRoutine(RTN rtn, AFUNPTR replacement, PROTO prototype)
{
    AFUNPTR old;
    old = RTN_ReplaceSignatureProbedEx(rtn, PROBE_MODE_DEFAULT, replacement, IARG_PROTOTYPE, prototype, IARG_ORIG_FUNCPTR, IARG_END);
    LOG(hexstr(ADDRINT(old)) + "\n");
}

static VOID Symbol(SYM sym)
{
    if (SYM_IFuncResolver(sym))
        LOG(SYM_Name(sym) + " chooses a function\n");
    if (SYM_IFuncImplementation(sym) || SYM_OriginatedFromIFunc(sym))
        LOG(SYM_Name(sym) + " is one that may be chosen\n");
}

static VOID Register(REG reg)
{
    kinds["ymm"] += REG_is_ymm(reg);
    kinds["seg"] += REG_is_seg(reg);
    kinds["mm"] += REG_is_mm(reg);
    kinds["k_mask"] += REG_is_k_mask(reg);
    kinds["st"] += REG_is_st(reg);
    kinds["zmm"] += REG_is_zmm(reg);
    kinds["Any8"] += REG_is_Any8(reg);
    kinds["Half16"] += REG_is_Half16(reg);
    kinds["Half32"] += REG_is_Half32(reg);
    kinds["Lower8"] += REG_is_Lower8(reg);
    kinds["Upper8"] += REG_is_Upper8(reg);
    kinds["any_app_flags"] += REG_is_any_app_flags(reg);
    kinds["any_mask"] += REG_is_any_mask(reg);
    kinds["any_pin_flags"] += REG_is_any_pin_flags(reg);
    kinds["app_df_flag_type"] += REG_is_app_df_flag_type(reg);
    kinds["app_status_flags_type"] += REG_is_app_status_flags_type(reg);
    kinds["avx512_hi16_xmm"] += REG_is_avx512_hi16_xmm(reg);
    kinds["avx512_hi16_ymm"] += REG_is_avx512_hi16_ymm(reg);
    kinds["br"] += REG_is_br(reg);
    kinds["buffer"] += REG_is_buffer(reg);
    kinds["df_flag"] += REG_is_df_flag(reg);
    kinds["df_flag_type"] += REG_is_df_flag_type(reg);
    kinds["flags"] += REG_is_flags(reg);
    kinds["flags_any_size_type"] += REG_is_flags_any_size_type(reg);
    kinds["flags_type"] += REG_is_flags_type(reg);
    kinds["gr16"] += REG_is_gr16(reg);
    kinds["gr8"] += REG_is_gr8(reg);
    kinds["gr_type"] += REG_is_gr_type(reg);
    kinds["gs_or_fs"] += REG_is_gs_or_fs(reg);
    kinds["inst_scratch"] += REG_is_inst_scratch(reg);
    kinds["machine"] += REG_is_machine(reg);
    kinds["mxcsr"] += REG_is_mxcsr(reg);
    kinds["partialreg"] += REG_is_partialreg(reg);
    kinds["pin_df_flag"] += REG_is_pin_df_flag(reg);
    kinds["pin_flags"] += REG_is_pin_flags(reg);
    kinds["pin_gpr"] += REG_is_pin_gpr(reg);
    kinds["pin_gr"] += REG_is_pin_gr(reg);
    kinds["pin_gr32"] += REG_is_pin_gr32(reg);
    kinds["pin_gr_half32"] += REG_is_pin_gr_half32(reg);
    kinds["pin_inst"] += REG_is_pin_inst(reg);
    kinds["pin_k_mask"] += REG_is_pin_k_mask(reg);
    kinds["pin_status_flags"] += REG_is_pin_status_flags(reg);
    kinds["pin_tmp"] += REG_is_pin_tmp(reg);
    kinds["pin_xmm"] += REG_is_pin_xmm(reg);
    kinds["pin_xmm_ymm_zmm"] += REG_is_pin_xmm_ymm_zmm(reg);
    kinds["pin_ymm"] += REG_is_pin_ymm(reg);
    kinds["pin_zmm"] += REG_is_pin_zmm(reg);
    kinds["reg"] += REG_is_reg(reg);
    kinds["seg_base"] += REG_is_seg_base(reg);
    kinds["stackptr_type"] += REG_is_stackptr_type(reg);
    kinds["status_flags"] += REG_is_status_flags(reg);
    kinds["status_flags_type"] += REG_is_status_flags_type(reg);
    kinds["tmm"] += REG_is_tmm(reg);
    kinds["xmm_ymm_zmm"] += REG_is_xmm_ymm_zmm(reg);
}

static VOID Context(CONTEXT *context)
{
    if (PIN_ContextContainsState(context, PROCESSOR_STATE_ZMM))
        LOG("the context has vectors of 512 bits\n");
}

static VOID Tiles(UINT8 *configuration, REG tile)
{
    UINT32 palette = TileCfg_GetPaletteID(configuration);
    UINT32 rows = TileCfg_GetTileRows(configuration, tile);
    UINT32 bytes = TileCfg_GetTileBytesPerRow(configuration, tile);
    LOG(decstr(palette) + decstr(rows) + decstr(bytes) + "\n");
}

static VOID Signals(const EXCEPTION_INFO *info)
{
    UINT32 errors = PIN_GetFpErrorSet(info);
    ADDRINT stack = PIN_FindAlternateAppStack();
    LOG(hexstr(errors) + hexstr(stack) + "\n");
}

/* A run that was recorded: what the tool hears of it comes from the replayer. */
static VOID Replay(THREADID tid, const CONTEXT *from, CONTEXT *to, INT32 signal)
{
    PIN_SetReplayMode(REPLAY_MODE_ALL);
    IMG img = IMG_CreateAt("/usr/lib/libexample.so", 0x10000, 0x1000, 0x10000, FALSE);
    IMG_SetLoaderInfo(img, NULL);
    IMG_ReplayImageLoad(img);
    PIN_ReplayContextChange(tid, from, to, CONTEXT_CHANGE_REASON_SIGNAL, signal);
    IMG_ReplayImageUnload(img);
    IMG other = PIN_ReplayImageLoad("/usr/bin/true", "/usr/bin/true", 0x20000, REPLAY_IMAGE_TYPE_REGULAR);
    PIN_ReplayImageUnload(other);
}

static VOID Fini(INT32, VOID *v)
{
    UINT64 started = *static_cast<UINT64 *>(v), now = MilliSecondsElapsed();
    UINT32 stubs = CODECACHE_ExitStubBytes();
    LOG(decstr(now - started) + " ms, " + decstr(stubs) + "\n");
}

static VOID ThreadKey(TLS_KEY key) { PIN_DeleteThreadDataKey(key); }

int main(int argc, char **argv)
{
    static UINT64 started;
    static REG address;
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    started = MilliSecondsElapsed();
    address = PIN_ClaimToolRegister();
    if (argc < 0) { /* where each of these is called in a tool is said in docs/api.md */
        ProbedRoutine(RTN_Invalid(), NULL, NULL);
        Symbol(SYM_Invalid());
        Register(address);
        Context(NULL);
        Tiles(NULL, address);
        Signals(NULL);
        Replay(0, NULL, NULL, 0);
        ThreadKey(0);
    }
    INS_AddInstrumentFunction(Instruction, &address);
    RTN_AddInstrumentFunction(Routine, NULL);
    PIN_AddFiniFunction(Fini, &started);
    PIN_StartProgram();
}
