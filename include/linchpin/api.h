/* SPDX-License-Identifier: Apache-2.0
 * Made by scripts/gen-api: the functions of the tool ABI that C and C++ tools call under the same declaration. The others are in api_text.h. The engine defines all of them with C linkage. */
#ifndef LINCHPIN_API_H
#define LINCHPIN_API_H
#include "callbacks.h"
#ifdef __cplusplus
#include "regset.hpp"
#endif

LP_BEGIN
#ifdef __cplusplus
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage" /* handles travel in a register, constructor or not */
#endif
extern "C" {
#endif

/* starting and stopping */
PIN_CALLBACK PIN_AddFiniFunction(FINI_CALLBACK fun, VOID *v);
PIN_CALLBACK PIN_AddApplicationStartFunction(APPLICATION_START_CALLBACK fun, VOID *v);
VOID PIN_Detach(void);
PIN_CALLBACK PIN_AddDetachFunction(DETACH_CALLBACK fun, VOID *v);
VOID PIN_RemoveInstrumentation(void);
PIN_CALLBACK PIN_AddPrepareForFiniFunction(PREPARE_FOR_FINI_CALLBACK fun, VOID *v);
BOOL PIN_IsActionPending(THREADID tid);
VOID PIN_RemoveInstrumentationInRange(LP_ADDRESS, LP_ADDRESS);
VOID PIN_AddFiniUnlockedFunction(FINI_CALLBACK fun, VOID *v);
ATTACH_STATUS PIN_Attach(ATTACH_CALLBACK fun, VOID *v);
VOID PIN_RemoveFiniFunctions(void);
CHAR *PIN_VmFullPath(void);
VOID PIN_SetSmcSupport(SMC_ENABLE_DISABLE_TYPE);
const CHAR *PIN_ToolFullPath(void);
PIN_CONFIGURATION_INFO PIN_CreateDefaultConfigurationInfo(void);
VOID PIN_SetAllowedConcurrentCallbacks(PIN_CONFIGURATION_INFO, PIN_CALLBACK_TYPE);
BOOL PIN_IsAttaching(void);

/* order of callbacks */
VOID CALLBACK_SetExecutionOrder(PIN_CALLBACK callback, CALL_ORDER);
VOID CALLBACK_SetExecutionPriority(PIN_CALLBACK callback, INT32);
CALL_ORDER CALLBACK_GetExecutionOrder(PIN_CALLBACK callback);
INT32 CALLBACK_GetExecutionPriority(PIN_CALLBACK callback);

/* instructions */
VOID INS_InsertCall(INS ins, IPOINT point, AFUNPTR fn, ...);
PIN_CALLBACK INS_AddInstrumentFunction(INS_INSTRUMENT_CALLBACK fun, VOID *v);
BOOL INS_Valid(INS ins);
ADDRINT INS_Address(INS ins);
INS INS_Next(INS ins);
OPCODE INS_Opcode(INS ins);
BOOL INS_IsMemoryRead(INS ins);
BOOL INS_IsMemoryWrite(INS ins);
VOID INS_InsertIfCall(INS ins, IPOINT point, AFUNPTR fn, ...);
UINT32 INS_MemoryOperandCount(INS ins);
VOID INS_InsertThenCall(INS ins, IPOINT point, AFUNPTR fn, ...);
VOID INS_InsertPredicatedCall(INS ins, IPOINT point, AFUNPTR fn, ...);
RTN INS_Rtn(INS ins);
BOOL INS_HasMemoryRead2(INS ins);
VOID INS_Delete(INS ins);
BOOL INS_MemoryOperandIsRead(INS ins, UINT32 n);
USIZE INS_Size(INS ins);
BOOL INS_IsSyscall(INS ins);
VOID INS_RewriteMemoryOperand(INS ins, UINT32 n, REG reg);
REG INS_OperandReg(INS ins, UINT32 n);
BOOL INS_MemoryOperandIsWritten(INS ins, UINT32 n);
BOOL INS_HasFallThrough(INS ins);
BOOL INS_IsCall(INS ins);
USIZE INS_MemoryOperandSize(INS ins, UINT32 n);
BOOL INS_OperandIsReg(INS ins, UINT32 n);
BOOL INS_OperandIsMemory(INS ins, UINT32 n);
BOOL INS_IsRet(INS ins);
UINT32 INS_OperandCount(INS ins);
USIZE INS_MemoryReadSize(INS ins);
BOOL INS_IsPredicated(INS ins);
USIZE INS_MemoryWriteSize(INS ins);
INT32 INS_Category(INS ins);
BOOL INS_HasRealRep(INS ins);
BOOL INS_IsBranchOrCall(INS ins);
BOOL INS_IsStandardMemop(INS ins);
BOOL INS_IsValidForIpointAfter(INS ins);
REG INS_RegW(INS ins, UINT32 n);
UINT32 INS_MaxNumWRegs(INS ins);
INT32 INS_Extension(INS ins);
BOOL INS_OperandIsImmediate(INS ins, UINT32 n);
INS INS_Invalid(void);
BOOL INS_IsDirectBranchOrCall(INS ins);
BOOL INS_IsStackRead(INS ins);
BOOL INS_IsStackWrite(INS ins);
UINT32 INS_MaxNumRRegs(INS ins);
REG INS_OperandMemoryBaseReg(INS ins, UINT32 n);
VOID INS_InsertVersionCase(INS ins, REG reg, INT32, LP_ADDRESS address, ...);
BOOL INS_IsAtomicUpdate(INS ins);
BOOL INS_IsVgather(INS ins);
BOOL INS_IsDirectControlFlow(INS ins);
BOOL INS_IsIpRelRead(INS ins);
BOOL INS_IsIpRelWrite(INS ins);
BOOL INS_RegWContain(INS ins, REG reg);
REG INS_SegmentRegPrefix(INS ins);
BOOL INS_IsIndirectBranchOrCall(INS ins);
BOOL INS_IsValidForIpointTakenBranch(INS ins);
REG INS_RegR(INS ins, UINT32 n);
ADDRINT INS_DirectBranchOrCallTargetAddress(INS ins);
ADDRINT INS_DirectControlFlowTargetAddress(INS ins);
BOOL INS_IsControlFlow(INS ins);
BOOL INS_IsIndirectControlFlow(INS ins);
ADDRINT INS_NextAddress(INS ins);
ADDRDELTA INS_OperandMemoryDisplacement(INS ins, UINT32 n);
ADDRDELTA INS_MemoryDisplacement(INS ins);
REG INS_OperandMemoryIndexReg(INS ins, UINT32 n);
BOOL INS_OperandWritten(INS ins, UINT32 n);
INS INS_Prev(INS ins);
BOOL INS_HasMemoryVector(INS ins);
VOID INS_InsertIndirectJump(INS ins, IPOINT point, REG reg);
BOOL INS_IsPrefetch(INS ins);
UINT32 INS_OperandMemoryScale(INS ins, UINT32 n);
REG INS_OperandMemorySegmentReg(INS ins, UINT32 n);
BOOL INS_OperandRead(INS ins, UINT32 n);
BOOL INS_RegRContain(INS ins, REG reg);
BOOL INS_IsBranch(INS ins);
UINT64 INS_OperandImmediate(INS ins, UINT32 n);
BOOL INS_IsSysenter(INS ins);
REG INS_RepCountRegister(INS ins);
BOOL INS_SegmentPrefix(INS ins);
UINT32 INS_EffectiveAddressWidth(INS ins);
VOID INS_InsertDirectJump(INS ins, IPOINT point, LP_ADDRESS address);
VOID INS_InsertIfPredicatedCall(INS ins, IPOINT point, AFUNPTR fn, ...);
VOID INS_InsertThenPredicatedCall(INS ins, IPOINT point, AFUNPTR fn, ...);
BOOL INS_IsInterrupt(INS ins);
BOOL INS_IsNop(INS ins);
BOOL INS_IsMov(INS ins);
REG INS_MemoryBaseReg(INS ins);
REG INS_MemoryIndexReg(INS ins);
BOOL INS_RepPrefix(INS ins);
BOOL INS_RepnePrefix(INS ins);
BOOL INS_AddressSizePrefix(INS ins);
BOOL INS_IsIRet(INS ins);
BOOL INS_IsOriginal(INS ins);
BOOL INS_IsXchg(INS ins);
BOOL INS_HasExplicitMemoryReference(INS ins);
BOOL INS_BranchNotTakenPrefix(INS ins);
BOOL INS_BranchTakenPrefix(INS ins);
BOOL INS_FullRegRContain(INS ins, REG reg);
BOOL INS_IsDirectFarJump(INS ins);
BOOL INS_IsProcedureCall(INS ins);
BOOL INS_IsRDTSC(INS ins);
BOOL INS_IsStringop(INS ins);
BOOL INS_IsSysret(INS ins);
BOOL INS_LockPrefix(INS ins);
BOOL INS_OperandIsAddressGenerator(INS ins, UINT32 n);
BOOL INS_OperandIsBranchDisplacement(INS ins, UINT32 n);
BOOL INS_OperandIsImplicit(INS ins, UINT32 n);
BOOL INS_OperandSizePrefix(INS ins);
BOOL INS_SegPrefixIsMemoryRead(INS ins);
BOOL INS_SegPrefixIsMemoryWrite(INS ins);
BOOL INS_Stutters(INS ins);
BOOL INS_IsXend(INS ins);
BOOL INS_HasProperty(INS ins, INS_PROP);
BOOL INS_IsCacheLineFlush(INS ins);
BOOL INS_IsDirectBranch(INS ins);
BOOL INS_IsMovdir64b(INS ins);
BOOL INS_IsXbegin(INS ins);
UINT32 INS_OperandWidth(INS ins, UINT32 n);
BOOL INS_ChangeMemOpToBaseRegisterAddressMode(INS ins, MEMORY_TYPE, REG reg);
BOOL INS_ChangeReg(INS ins, REG, REG, BOOL);
BOOL INS_FullRegWContain(INS ins, REG reg);
PREDICATE INS_GetPredicate(INS ins);
BOOL INS_HasScatteredMemoryAccess(INS ins);
BOOL INS_IsAddedForFunctionReplacement(INS ins);
BOOL INS_IsAmx(INS ins);
BOOL INS_IsDirectCall(INS ins);
BOOL INS_IsFarCall(INS ins);
BOOL INS_IsFarJump(INS ins);
BOOL INS_IsFarRet(INS ins);
BOOL INS_IsHalt(INS ins);
BOOL INS_IsLea(INS ins);
BOOL INS_IsMaskMov(INS ins);
BOOL INS_IsMovFullRegRegSame(INS ins);
BOOL INS_IsPcMaterialization(INS ins);
BOOL INS_IsSub(INS ins);
BOOL INS_IsValidForIarg(INS ins, IARG_TYPE iarg);
BOOL INS_IsVscatter(INS ins);
REG INS_MaskRegister(INS ins);
ADDRDELTA INS_MemoryDisplacementSigned(INS ins);
ADDRINT INS_MemoryOffset(INS ins);
UINT32 INS_MemoryOperandElementCount(INS ins, UINT32 n);
USIZE INS_MemoryOperandElementSize(INS ins, UINT32 n);
UINT32 INS_MemoryOperandIndexToOperandIndex(INS ins, UINT32 n);
UINT32 INS_MemoryScale(INS ins);
UINT32 INS_OperandElementCount(INS ins, UINT32 n);
USIZE INS_OperandElementSize(INS ins, UINT32 n);
BOOL INS_OperandHasElements(INS ins, UINT32 n);
BOOL INS_OperandIsFixedMemop(INS ins, UINT32 n);
BOOL INS_OperandIsSegmentReg(INS ins, UINT32 n);
UINT32 INS_OperandNameId(INS ins, UINT32 n);
BOOL INS_OperandReadAndWritten(INS ins, UINT32 n);
BOOL INS_OperandReadOnly(INS ins, UINT32 n);
UINT32 INS_OperandSize(INS ins, UINT32 n);
BOOL INS_OperandWrittenOnly(INS ins, UINT32 n);
BOOL INS_RegIsImplicit(INS ins, REG reg);
BOOL INS_RewriteMemoryAddressingToBaseRegisterOnly(INS ins, MEMORY_TYPE, REG reg);
VOID INS_RewriteScatteredMemoryOperand(INS ins, UINT32 n);
SYSCALL_STANDARD INS_SyscallStd(INS ins);

/* basic blocks */
BOOL BBL_Valid(BBL bbl);
BBL BBL_Next(BBL bbl);
INS BBL_InsHead(BBL bbl);
VOID BBL_InsertCall(BBL bbl, IPOINT point, AFUNPTR fn, ...);
UINT32 BBL_NumIns(BBL bbl);
INS BBL_InsTail(BBL bbl);
VOID BBL_SetTargetVersion(BBL bbl, LP_ADDRESS value);
ADDRINT BBL_Address(BBL bbl);
USIZE BBL_Size(BBL bbl);
BOOL BBL_HasFallThrough(BBL bbl);
VOID BBL_InsertIfCall(BBL bbl, IPOINT point, AFUNPTR fn, ...);
VOID BBL_InsertThenCall(BBL bbl, IPOINT point, AFUNPTR fn, ...);
BOOL BBL_Original(BBL bbl);
BBL BBL_Prev(BBL bbl);

/* traces */
PIN_CALLBACK TRACE_AddInstrumentFunction(TRACE_INSTRUMENT_CALLBACK fun, VOID *v);
BBL TRACE_BblHead(TRACE trace);
RTN TRACE_Rtn(TRACE trace);
ADDRINT TRACE_Address(TRACE trace);
VOID TRACE_InsertCall(TRACE trace, IPOINT point, AFUNPTR fn, ...);
UINT32 TRACE_NumIns(TRACE trace);
ADDRINT TRACE_Version(TRACE trace);
USIZE TRACE_Size(TRACE trace);
UINT32 TRACE_NumBbl(TRACE trace);
VOID TRACE_InsertIfCall(TRACE trace, IPOINT point, AFUNPTR fn, ...);
VOID TRACE_InsertThenCall(TRACE trace, IPOINT point, AFUNPTR fn, ...);
BBL TRACE_BblTail(TRACE trace);
BOOL TRACE_HasFallThrough(TRACE trace);
VOID TRACE_AddSmcDetectedFunction(SMC_CALLBACK fun, VOID *v);

/* trace buffers */
BUFFER_ID PIN_DefineTraceBuffer(size_t bytes, UINT32 n, TRACE_BUFFER_CALLBACK fun, VOID *v);
VOID INS_InsertFillBuffer(INS ins, IPOINT point, BUFFER_ID id, ...);
VOID *PIN_AllocateBuffer(BUFFER_ID id);
VOID PIN_DeallocateBuffer(BUFFER_ID id, VOID *v);
VOID INS_InsertFillBufferPredicated(INS ins, IPOINT point, BUFFER_ID id, ...);
VOID INS_InsertFillBufferThen(INS ins, IPOINT point, BUFFER_ID id, ...);
VOID BBL_InsertFillBuffer(BBL bbl, IPOINT point, BUFFER_ID id, ...);

/* routines */
BOOL RTN_Valid(RTN rtn);
RTN RTN_FindByName(IMG img, const CHAR *);
VOID RTN_Close(RTN rtn);
VOID RTN_Open(RTN rtn);
ADDRINT RTN_Address(RTN rtn);
VOID RTN_InsertCall(RTN rtn, IPOINT point, AFUNPTR fn, ...);
RTN RTN_Next(RTN rtn);
AFUNPTR RTN_ReplaceSignature(RTN rtn, AFUNPTR fn, ...);
INS RTN_InsHead(RTN rtn);
PIN_CALLBACK RTN_AddInstrumentFunction(RTN_INSTRUMENT_CALLBACK fun, VOID *v);
RTN RTN_FindByAddress(LP_ADDRESS address);
SEC RTN_Sec(RTN rtn);
INS RTN_InsHeadOnly(RTN rtn);
AFUNPTR RTN_Replace(RTN rtn, AFUNPTR fn);
USIZE RTN_Size(RTN rtn);
RTN RTN_Invalid(void);
SYM RTN_Sym(RTN rtn);
UINT32 RTN_Id(RTN rtn);
AFUNPTR RTN_Funptr(RTN rtn);
INS RTN_InsTail(RTN rtn);
UINT32 RTN_NumIns(RTN rtn);
RTN RTN_Prev(RTN rtn);
RTN RTN_IFuncImplementation(RTN rtn);
BOOL RTN_IsArtificial(RTN rtn);
BBL RTN_BblHead(RTN rtn);
BBL RTN_BblTail(RTN rtn);
BOOL RTN_IsDynamic(RTN rtn);
RTN RTN_IFuncResolver(RTN rtn);
VOID RTN_ComplexReplaceWithUninstrumentedRoutine(RTN rtn, AFUNPTR fn);
UINT RTN_DynamicMethodId(RTN rtn);
USIZE RTN_Range(RTN rtn);
VOID RTN_ReplaceWithUninstrumentedRoutine(RTN rtn, AFUNPTR fn);

/* images */
PIN_CALLBACK IMG_AddInstrumentFunction(IMAGECALLBACK fun, VOID *v);
BOOL IMG_IsMainExecutable(IMG img);
SEC IMG_SecHead(IMG img);
BOOL IMG_Valid(IMG img);
ADDRINT IMG_LowAddress(IMG img);
PIN_CALLBACK IMG_AddUnloadFunction(IMAGECALLBACK fun, VOID *v);
SYM IMG_RegsymHead(IMG img);
IMG_TYPE IMG_Type(IMG img);
UINT32 IMG_Id(IMG img);
ADDRINT IMG_HighAddress(IMG img);
ADDRINT IMG_LoadOffset(IMG img);
VOID IMG_Close(IMG img);
IMG IMG_FindByAddress(LP_ADDRESS address);
UINT32 IMG_NumRegions(IMG img);
ADDRINT IMG_RegionHighAddress(IMG img, UINT32 n);
ADDRINT IMG_RegionLowAddress(IMG img, UINT32 n);
USIZE IMG_SizeMapped(IMG img);
ADDRINT IMG_StartAddress(IMG img);
IMG APP_ImgHead(void);
IMG IMG_Next(IMG img);
IMG IMG_Invalid(void);
BOOL IMG_IsVDSO(IMG img);
IMG APP_ImgTail(void);
ADDRINT IMG_Entry(IMG img);
ADDRINT IMG_EntryAddress(IMG img);
IMG IMG_Prev(IMG img);
IMG IMG_FindImgById(UINT32 n);
SEC IMG_SecTail(IMG img);
BOOL IMG_IsInterpreter(IMG img);
BOOL IMG_HasProperty(IMG img, IMG_PROPERTY);
BOOL IMG_hasLinesData(IMG img);
VOID *IMG_DynamicRawData(IMG img);
ADDRINT IMG_Gp(IMG img);
BOOL IMG_IsStaticExecutable(IMG img);

/* sections */
BOOL SEC_Valid(SEC sec);
SEC SEC_Next(SEC sec);
RTN SEC_RtnHead(SEC sec);
IMG SEC_Img(SEC sec);
ADDRINT SEC_Address(SEC sec);
USIZE SEC_Size(SEC sec);
BOOL SEC_IsExecutable(SEC sec);
SEC_TYPE SEC_Type(SEC sec);
const VOID *SEC_Data(SEC sec);
SEC SEC_Invalid(void);
BOOL SEC_Mapped(SEC sec);
BOOL SEC_IsReadable(SEC sec);
BOOL SEC_IsWriteable(SEC sec);
SEC SEC_Prev(SEC sec);
RTN SEC_RtnTail(SEC sec);

/* symbols */
VOID PIN_InitSymbols(void);
SYM SYM_Next(SYM sym);
BOOL SYM_Valid(SYM sym);
ADDRINT SYM_Value(SYM sym);
BOOL PIN_InitSymbolsAlt(SYMBOL_INFO_MODE);
ADDRINT SYM_Address(SYM sym);
BOOL SYM_Dynamic(SYM sym);
BOOL SYM_IFuncResolver(SYM sym);
UINT32 SYM_Index(SYM sym);
SYM SYM_Invalid(void);
SYM SYM_Prev(SYM sym);
BOOL SYM_IFunc(SYM sym);
VOID PIN_FindColumnLineFileByAddress(LP_ADDRESS address, INT32 *, INT32 *, const CHAR **);
VOID PIN_FindLineFileByAddress(LP_ADDRESS address, INT32 *, const CHAR **);
BOOL SYM_GeneratedByPin(SYM sym);
BOOL SYM_IFuncImplementation(SYM sym);
BOOL SYM_OriginatedFromIFunc(SYM sym);

/* registers */
REG PIN_ClaimToolRegister(void);
REG REG_INVALID(void);
BOOL REG_valid(REG reg);
BOOL REG_is_gr(REG reg);
BOOL REG_is_ymm(REG reg);
UINT32 REG_Size(REG reg);
BOOL REG_is_xmm(REG reg);
BOOL REG_is_seg(REG reg);
BOOL REG_is_mm(REG reg);
REG REG_FullRegName(REG reg);
REG REG_AppFlags(void);
REGWIDTH REG_Width(REG reg);
BOOL REG_is_k_mask(REG reg);
BOOL REG_is_st(REG reg);
BOOL REG_is_zmm(REG reg);
UINT16 REG_ConvertX87AbridgedTagToFull(const FXSAVE *);
UINT8 REG_ConvertX87FullTagToAbridged(UINT16);
BOOL REG_is_fr(REG reg);
REG REG_IdentityCopy(REG reg);
REG REG_LastSupportedXmm(void);
REG REG_LastSupportedYmm(void);
REG REG_LastSupportedZmm(void);
REG REG_corresponding_ymm_reg(REG reg);
REG REG_corresponding_zmm_reg(REG reg);
REG REG_get_df_flag_reg_of_type(REG reg);
REG REG_get_full_flags_reg_of_type(REG reg);
REG REG_get_status_flags_reg_of_type(REG reg);
BOOL REG_is_Any8(REG reg);
BOOL REG_is_Half16(REG reg);
BOOL REG_is_Half32(REG reg);
BOOL REG_is_Lower8(REG reg);
BOOL REG_is_Upper8(REG reg);
BOOL REG_is_any_app_flags(REG reg);
BOOL REG_is_any_flags_type(REG reg);
BOOL REG_is_any_mask(REG reg);
BOOL REG_is_any_mxcsr(REG reg);
BOOL REG_is_any_pin_flags(REG reg);
BOOL REG_is_any_vector_reg(REG reg);
BOOL REG_is_any_x87(REG reg);
BOOL REG_is_app_df_flag_type(REG reg);
BOOL REG_is_app_status_flags_type(REG reg);
BOOL REG_is_application(REG reg);
BOOL REG_is_avx512_hi16_xmm(REG reg);
BOOL REG_is_avx512_hi16_ymm(REG reg);
BOOL REG_is_br(REG reg);
BOOL REG_is_buffer(REG reg);
BOOL REG_is_df_flag(REG reg);
BOOL REG_is_df_flag_type(REG reg);
BOOL REG_is_flags(REG reg);
BOOL REG_is_flags_any_size_type(REG reg);
BOOL REG_is_flags_type(REG reg);
BOOL REG_is_fr_for_get_context(REG reg);
BOOL REG_is_fr_or_x87(REG reg);
BOOL REG_is_gr16(REG reg);
BOOL REG_is_gr32(REG reg);
BOOL REG_is_gr64(REG reg);
BOOL REG_is_gr8(REG reg);
BOOL REG_is_gr_type(REG reg);
BOOL REG_is_gs_or_fs(REG reg);
BOOL REG_is_inst_scratch(REG reg);
BOOL REG_is_machine(REG reg);
BOOL REG_is_mxcsr(REG reg);
BOOL REG_is_partialreg(REG reg);
BOOL REG_is_pin(REG reg);
BOOL REG_is_pin64(REG reg);
BOOL REG_is_pin_df_flag(REG reg);
BOOL REG_is_pin_flags(REG reg);
BOOL REG_is_pin_gpr(REG reg);
BOOL REG_is_pin_gr(REG reg);
BOOL REG_is_pin_gr32(REG reg);
BOOL REG_is_pin_gr_half32(REG reg);
BOOL REG_is_pin_inst(REG reg);
BOOL REG_is_pin_k_mask(REG reg);
BOOL REG_is_pin_status_flags(REG reg);
BOOL REG_is_pin_tmp(REG reg);
BOOL REG_is_pin_xmm(REG reg);
BOOL REG_is_pin_xmm_ymm_zmm(REG reg);
BOOL REG_is_pin_ymm(REG reg);
BOOL REG_is_pin_zmm(REG reg);
BOOL REG_is_pseudo(REG reg);
BOOL REG_is_reg(REG reg);
BOOL REG_is_representative_reg(REG reg);
BOOL REG_is_seg_base(REG reg);
BOOL REG_is_stackptr_type(REG reg);
BOOL REG_is_status_flags(REG reg);
BOOL REG_is_status_flags_type(REG reg);
BOOL REG_is_subclass_none(REG reg);
BOOL REG_is_tmm(REG reg);
BOOL REG_is_xmm_ymm_zmm(REG reg);
BOOL REG_valid_for_iarg_reg_value(REG reg);

/* contexts */
ADDRINT PIN_GetContextReg(const CONTEXT *ctxt, REG reg);
VOID PIN_CallApplicationFunction(const CONTEXT *ctxt, THREADID tid, CALLINGSTD_TYPE, AFUNPTR fn, CALL_APPLICATION_FUNCTION_PARAM *, ...);
VOID PIN_SetContextReg(CONTEXT *ctxt, REG reg, LP_ADDRESS value);
VOID PIN_SaveContext(const CONTEXT *, CONTEXT *);
VOID PIN_GetContextFPState(const CONTEXT *ctxt, FPSTATE *);
VOID PIN_ExecuteAt(const CONTEXT *ctxt);
VOID PIN_SetContextFPState(CONTEXT *ctxt, const FPSTATE *);
LP_ADDRESS PIN_GetPhysicalContextReg(const PHYSICAL_CONTEXT *, REG reg);
VOID PIN_SetPhysicalContextReg(PHYSICAL_CONTEXT *, REG reg, LP_ADDRESS value);
VOID PIN_GetContextRegval(const CONTEXT *ctxt, REG reg, UINT8 *);
VOID PIN_GetPhysicalContextFPState(const PHYSICAL_CONTEXT *, VOID *v);
VOID PIN_SetPhysicalContextFPState(PHYSICAL_CONTEXT *, const VOID *);
VOID PIN_SetContextRegval(CONTEXT *ctxt, REG reg, const UINT8 *);
BOOL PIN_ContextContainsState(CONTEXT *ctxt, PROCESSOR_STATE);
BOOL PIN_SupportsProcessorState(PROCESSOR_STATE);
int PIN_Backtrace(const CONTEXT *ctxt, void **, int);
REGSET PIN_GetFullContextRegsSet(void);
VOID PIN_GetContextFXSave(const CONTEXT *ctxt, FXSAVE *);
int PIN_GetInitialContextForUnwind(const CONTEXT *ctxt, void *);
BOOL PIN_IsAmxActive(THREADID tid);
VOID PIN_SetContextFXSave(CONTEXT *ctxt, const FXSAVE *);
UINT8 TileCfg_GetPaletteID(UINT8 *);
UINT32 TileCfg_GetTileBytesPerRow(UINT8 *, REG reg);
UINT32 TileCfg_GetTileRows(UINT8 *, REG reg);

/* argument lists */
VOID IARGLIST_AddArguments(IARGLIST list, ...);
IARGLIST IARGLIST_Alloc(void);
VOID IARGLIST_Free(IARGLIST list);

/* prototypes */
PROTO PROTO_Allocate(PARG_T, CALLINGSTD_TYPE, const char *, ...);
VOID PROTO_Free(PROTO proto);

/* threads */
PIN_CALLBACK PIN_AddThreadStartFunction(THREAD_START_CALLBACK fun, VOID *v);
THREADID PIN_ThreadId(void);
PIN_CALLBACK PIN_AddThreadFiniFunction(THREAD_FINI_CALLBACK fun, VOID *v);
TLS_KEY PIN_CreateThreadDataKey(DESTRUCTFUN fun);
OS_THREAD_ID PIN_GetTid(void);
VOID PIN_Sleep(UINT32 n);
VOID PIN_ExitThread(INT32);
UINT32 PIN_GetStoppedThreadCount(void);
THREADID PIN_GetStoppedThreadId(UINT32 n);
VOID PIN_Yield(void);
VOID PIN_ResumeApplicationThreads(THREADID tid);
BOOL PIN_StopApplicationThreads(THREADID tid);
VOID PIN_AddThreadEndFunction(THREAD_END_CALLBACK fun, VOID *v);
const CONTEXT *PIN_GetStoppedThreadContext(THREADID tid);
OS_THREAD_ID PIN_GetParentTid(void);
BOOL PIN_IsApplicationThread(void);
PIN_THREAD_UID PIN_ThreadUid(void);
VOID PIN_AddThreadBeginFunction(THREAD_BEGIN_CALLBACK fun, VOID *v);
PIN_CALLBACK PIN_AddThreadAttachFunction(THREAD_ATTACH_CALLBACK fun, VOID *v);
PIN_CALLBACK PIN_AddThreadDetachFunction(THREAD_DETACH_CALLBACK fun, VOID *v);
UINT32 PIN_GetInitialThreadCount(void);
BOOL PIN_IsThreadStoppedInDebugger(THREADID tid);
BOOL PIN_DeleteThreadDataKey(TLS_KEY);
CONTEXT *PIN_GetStoppedThreadWriteableContext(THREADID tid);

/* locks */
VOID PIN_InitLock(PIN_LOCK *lock);
VOID PIN_GetLock(PIN_LOCK *lock, INT32);
INT32 PIN_ReleaseLock(PIN_LOCK *lock);
VOID PIN_LockClient(void);
VOID PIN_UnlockClient(void);
BOOL PIN_SemaphoreInit(PIN_SEMAPHORE *lock);
VOID PIN_SemaphoreSet(PIN_SEMAPHORE *lock);
VOID PIN_SemaphoreWait(PIN_SEMAPHORE *lock);
BOOL PIN_MutexInit(PIN_MUTEX *lock);
VOID PIN_MutexLock(PIN_MUTEX *lock);
VOID PIN_MutexUnlock(PIN_MUTEX *lock);
VOID PIN_SemaphoreFini(PIN_SEMAPHORE *lock);
VOID PIN_MutexFini(PIN_MUTEX *lock);
BOOL PIN_RWMutexInit(PIN_RWMUTEX *lock);
VOID PIN_RWMutexUnlock(PIN_RWMUTEX *lock);
VOID PIN_RWMutexWriteLock(PIN_RWMUTEX *lock);
VOID PIN_SemaphoreClear(PIN_SEMAPHORE *lock);
BOOL PIN_SemaphoreIsSet(PIN_SEMAPHORE *lock);
BOOL PIN_SemaphoreTimedWait(PIN_SEMAPHORE *lock, unsigned int);
BOOL PIN_MutexTryLock(PIN_MUTEX *lock);
VOID PIN_RWMutexReadLock(PIN_RWMUTEX *lock);
BOOL PIN_RWMutexTryReadLock(PIN_RWMUTEX *lock);
BOOL PIN_RWMutexTryWriteLock(PIN_RWMUTEX *lock);
VOID PIN_RWMutexFini(PIN_RWMUTEX *lock);

/* system calls */
PIN_CALLBACK PIN_AddSyscallEntryFunction(SYSCALL_ENTRY_CALLBACK fun, VOID *v);
ADDRINT PIN_GetSyscallNumber(const CONTEXT *ctxt, SYSCALL_STANDARD std);
PIN_CALLBACK PIN_AddSyscallExitFunction(SYSCALL_EXIT_CALLBACK fun, VOID *v);
ADDRINT PIN_GetSyscallArgument(const CONTEXT *ctxt, SYSCALL_STANDARD std, UINT32 n);
ADDRINT PIN_GetSyscallReturn(const CONTEXT *ctxt, SYSCALL_STANDARD std);
ADDRINT PIN_GetSyscallErrno(const CONTEXT *ctxt, SYSCALL_STANDARD std);
VOID PIN_SetSyscallArgument(CONTEXT *ctxt, SYSCALL_STANDARD std, UINT32 n, LP_ADDRESS value);
VOID PIN_SetSyscallNumber(CONTEXT *ctxt, SYSCALL_STANDARD std, LP_ADDRESS value);
VOID PIN_SetSyscallErrno(CONTEXT *ctxt, SYSCALL_STANDARD std, LP_ADDRESS value);
VOID PIN_SetSyscallReturn(CONTEXT *ctxt, SYSCALL_STANDARD std, LP_ADDRESS value);

/* signals and exceptions */
PIN_CALLBACK PIN_AddContextChangeFunction(CONTEXT_CHANGE_CALLBACK fun, VOID *v);
BOOL PIN_InterceptSignal(INT32, INTERCEPT_SIGNAL_CALLBACK fun, VOID *v);
EXCEPTION_CODE PIN_GetExceptionCode(const EXCEPTION_INFO *info);
VOID PIN_TryEnd(THREADID tid);
VOID PIN_TryStart(THREADID tid, INTERNAL_EXCEPTION_CALLBACK fun, VOID *v);
VOID PIN_RaiseException(const CONTEXT *ctxt, THREADID tid, const EXCEPTION_INFO *info);
PIN_CALLBACK PIN_AddInternalExceptionHandler(INTERNAL_EXCEPTION_CALLBACK fun, VOID *v);
BOOL PIN_UnblockSignal(INT32, BOOL);
VOID PIN_InitExceptionInfo(EXCEPTION_INFO *info, EXCEPTION_CODE code, LP_ADDRESS address);
LP_ADDRESS PIN_GetExceptionAddress(const EXCEPTION_INFO *info);
VOID PIN_SetExceptionAddress(EXCEPTION_INFO *info, LP_ADDRESS value);
BOOL PIN_AddSignalInterceptFunction(INT32, SIGNAL_INTERCEPT_CALLBACK fun, VOID *v);
EXCEPTION_CLASS PIN_GetExceptionClass(EXCEPTION_CODE code);
BOOL PIN_GetFaultyAccessAddress(const EXCEPTION_INFO *info, ADDRINT *);
FAULTY_ACCESS_TYPE PIN_GetFaultyAccessType(const EXCEPTION_INFO *info);
VOID PIN_InitAccessFaultInfo(EXCEPTION_INFO *info, EXCEPTION_CODE code, LP_ADDRESS, LP_ADDRESS, FAULTY_ACCESS_TYPE);
ADDRINT PIN_FindAlternateAppStack(void);
BOOL PIN_AddSignalAfterFunction(SIGNAL_AFTER_CALLBACK fun, VOID *v);
BOOL PIN_AddSignalBeforeFunction(SIGNAL_BEFORE_CALLBACK fun, VOID *v);
UINT32 PIN_GetFpErrorSet(const EXCEPTION_INFO *info);

/* memory */
size_t PIN_SafeCopy(VOID *v, const VOID *, size_t bytes);
size_t PIN_SafeCopyEx(VOID *v, const VOID *, size_t bytes, EXCEPTION_INFO *info);
VOID PIN_AddMemoryAddressTransFunction(MEMORY_ADDR_TRANS_CALLBACK fun, VOID *v);
VOID PIN_AddFetchFunction(FETCH_CALLBACK fun, VOID *v);
VOID PIN_AddOutOfMemoryFunction(OUT_OF_MEMORY_CALLBACK fun, VOID *v);
BOOL PIN_CheckReadAccess(VOID *v);
BOOL PIN_CheckWriteAccess(VOID *v);
size_t PIN_FetchCode(void *, const VOID *, size_t bytes, EXCEPTION_INFO *info);
ADDRINT PIN_GetAuxVectorValue(LP_ADDRESS address, bool *);
MEMORY_ADDR_TRANS_CALLBACK PIN_GetMemoryAddressTransFunction(void);

/* processes */
PIN_CALLBACK PIN_AddFollowChildProcessFunction(FOLLOW_CHILD_PROCESS_CALLBACK fun, VOID *v);
INT PIN_GetPid(void);
VOID CHILD_PROCESS_GetCommandLine(CHILD_PROCESS child, INT *, const CHAR * const **);
PIN_CALLBACK PIN_AddForkFunction(FPOINT point, FORK_CALLBACK fun, VOID *v);
OS_PROCESS_ID CHILD_PROCESS_GetId(CHILD_PROCESS child);
VOID CHILD_PROCESS_SetPinCommandLine(CHILD_PROCESS child, INT, const CHAR * const *);
BOOL PIN_IsProcessExiting(void);

/* probe mode */
VOID PIN_StartProgramProbed(void);
BOOL RTN_IsSafeForProbedReplacement(RTN rtn);
AFUNPTR RTN_ReplaceProbed(RTN rtn, AFUNPTR fn);
BOOL PIN_IsProbeMode(void);
AFUNPTR RTN_ReplaceSignatureProbed(RTN rtn, AFUNPTR fn, ...);
BOOL RTN_InsertCallProbed(RTN rtn, IPOINT point, AFUNPTR fn, ...);
BOOL RTN_IsSafeForProbedInsertion(RTN rtn);
BOOL RTN_IsSafeForProbedReplacementEx(RTN rtn, PROBE_MODE mode);
PIN_CALLBACK PIN_AddDetachFunctionProbed(DETACH_PROBED_CALLBACK fun, VOID *v);
PIN_CALLBACK PIN_AddThreadAttachProbedFunction(THREAD_ATTACH_PROBED_CALLBACK fun, VOID *v);
VOID PIN_DetachProbed(void);
AFUNPTR RTN_ReplaceProbedEx(RTN rtn, PROBE_MODE mode, AFUNPTR fn);
ATTACH_STATUS PIN_AttachProbed(ATTACH_PROBED_CALLBACK fun, VOID *v);
PIN_CALLBACK PIN_AddForkFunctionProbed(FPOINT point, FORK_PROBE_MODE_CALLBACK fun, VOID *v);
AFUNPTR RTN_ReplaceSignatureProbedEx(RTN rtn, PROBE_MODE mode, AFUNPTR fn, ...);
PIN_CALLBACK PIN_AddThreadDetachProbedFunction(THREAD_DETACH_PROBED_CALLBACK fun, VOID *v);
PIN_CALLBACK PIN_AddProbesInsertedFunction(PROBES_INSERTED_CALLBACK fun, VOID *v);
INT32 RTN_CodeRangesProbed(RTN rtn, INT32, PIN_CODE_RANGE *);
BOOL RTN_InsertCallProbedEx(RTN rtn, IPOINT point, PROBE_MODE mode, AFUNPTR fn, ...);
BOOL PIN_InsertCallProbed(LP_ADDRESS address, AFUNPTR fn, ...);
BOOL PIN_IsSafeForProbedInsertion(LP_ADDRESS address);
BOOL PIN_InsertProbe(LP_ADDRESS from, LP_ADDRESS to);
BOOL PIN_RemoveProbe(LP_ADDRESS address);
BOOL RTN_IsSafeForProbedInsertionEx(RTN rtn, PROBE_MODE mode);

/* the code cache */
PIN_CALLBACK CODECACHE_AddCacheInitFunction(CODECACHE_NOARG_CALLBACK fun, VOID *v);
PIN_CALLBACK CODECACHE_AddTraceInsertedFunction(TRACE_INSTRUMENT_CALLBACK fun, VOID *v);
BOOL CODECACHE_FlushCache(void);
USIZE TRACE_CodeCacheSize(TRACE trace);
PIN_CALLBACK CODECACHE_AddCacheFlushedFunction(CODECACHE_NOARG_CALLBACK fun, VOID *v);
LP_ADDRESS TRACE_CodeCacheAddress(TRACE trace);
UINT32 CODECACHE_CodeMemUsed(void);
UINT32 CODECACHE_NumTracesInCache(void);
PIN_CALLBACK CODECACHE_AddFullCacheFunction(CODECACHE_FULL_CALLBACK fun, VOID *v);
UINT32 CODECACHE_CacheSizeLimit(void);
PIN_CALLBACK CODECACHE_AddCacheBlockFunction(CODECACHE_CACHEBLOCK_CALLBACK fun, VOID *v);
PIN_CALLBACK CODECACHE_AddTraceLinkedFunction(CODECACHE_LINKED_CALLBACK fun, VOID *v);
UINT32 CODECACHE_InvalidateTraceAtProgramAddress(LP_ADDRESS address);
UINT32 CODECACHE_BlockSize(void);
UINT32 CODECACHE_CodeMemReserved(void);
USIZE TRACE_StubSize(TRACE trace);
PIN_CALLBACK CODECACHE_AddCodeCacheEnteredFunction(CODECACHE_ENTEREXIT_CALLBACK fun, VOID *v);
PIN_CALLBACK CODECACHE_AddCodeCacheExitedFunction(CODECACHE_ENTEREXIT_CALLBACK fun, VOID *v);
PIN_CALLBACK CODECACHE_AddTraceUnlinkedFunction(CODECACHE_UNLINKED_CALLBACK fun, VOID *v);
BOOL CODECACHE_ChangeBlockSize(USIZE);
BOOL CODECACHE_ChangeCacheLimit(USIZE);
BOOL CODECACHE_CreateNewCacheBlock(USIZE);
UINT32 CODECACHE_DirectoryMemUsed(void);
UINT32 CODECACHE_NumExitStubsInCache(void);
UINT32 CODECACHE_InvalidateRange(LP_ADDRESS, LP_ADDRESS);
LP_ADDRESS INS_CodeCacheAddress(INS ins);
USIZE PIN_MemoryAllocatedForPin(void);
LP_ADDRESS BBL_CodeCacheAddress(BBL bbl);
USIZE BBL_CodeCacheSize(BBL bbl);
PIN_CALLBACK CODECACHE_AddTraceInvalidatedFunction(CODECACHE_TRACEINVALIDATED_CALLBACK fun, VOID *v);
BOOL CODECACHE_ChangeMaxBblsPerTrace(UINT32 n);
BOOL CODECACHE_ChangeMaxInsPerTrace(UINT32 n);
UINT32 CODECACHE_ExitStubBytes(void);
UINT32 CODECACHE_LinkBytes(void);
ADDRINT CODECACHE_OriginalAddress(LP_ADDRESS address);
USIZE INS_CodeCacheSize(INS ins);
BOOL TRACE_Original(TRACE trace);

/* replay */
VOID PIN_ReplayContextChange(THREADID tid, const CONTEXT *, CONTEXT *, CONTEXT_CHANGE_REASON, INT32);
VOID PIN_SetReplayMode(UINT32 n);
BOOL PIN_SpawnApplicationThread(const CONTEXT *ctxt);
IMG IMG_CreateAt(const char *, LP_ADDRESS, USIZE, LP_ADDRESS, BOOL);
VOID IMG_ReplayImageLoad(IMG img);
VOID IMG_SetLoaderInfo(IMG img, VOID *v);
VOID PIN_ReplaySyscallEntry(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std);
VOID PIN_ReplaySyscallExit(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std);
IMG PIN_ReplayImageLoad(const char *, const char *, LP_ADDRESS address, REPLAY_IMAGE_TYPE);
VOID PIN_ReplayImageUnload(IMG img);
VOID *IMG_GetLoaderInfo(IMG img);
BOOL PIN_WasMemoryReservedInLoadTime(void);
VOID IMG_ReplayImageUnload(IMG img);

/* the debugger */
BOOL PIN_GetDebugConnectionInfo(DEBUG_CONNECTION_INFO *);
DEBUG_STATUS PIN_GetDebugStatus(void);
BOOL PIN_WaitForDebuggerToConnect(unsigned int);
VOID PIN_InterceptDebuggingEvent(DEBUGGING_EVENT, INTERCEPT_DEBUGGING_EVENT_CALLBACK fun, VOID *v);
DEBUGGER_TYPE PIN_GetDebuggerType(void);
BOOL PIN_SetDebugMode(const DEBUG_MODE *);
PIN_CALLBACK PIN_AddBreakpointHandler(DEBUG_BREAKPOINT_CALLBACK fun, VOID *v);
VOID PIN_ResetBreakpointAt(LP_ADDRESS address);
VOID PIN_RemoveBreakpointHandler(DEBUG_BREAKPOINT_CALLBACK fun);

/* messages */
VOID PIN_WriteErrorMessage(const char *, INT32, PIN_ERR_SEVERITY_TYPE, INT32, ...);
UINT64 MilliSecondsElapsed(void);

/* disassembly */
VOID PIN_SetSyntaxATT(void);
VOID PIN_SetSyntaxIntel(void);
VOID PIN_SetSyntaxXED(void);

#ifdef __cplusplus
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#endif
LP_END
#endif
