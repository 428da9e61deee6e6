/* SPDX-License-Identifier: Apache-2.0
 * EXCEPTION_INFO: makes it, reads it, and puts it into words. Works on what it is given; the text belongs to the
 * calling thread. No lock. */
#include "api/exceptions.h"

#include "arch/arch.h"
#include "opt/objects.h"

#include <string.h>

static const struct {
    u8 class;
    const char *name;
} codes[] = {
    [EXCEPTCODE_NONE] = {EXCEPTCLASS_NONE, "none"},
    [EXCEPTCODE_ACCESS_INVALID_ADDRESS] = {EXCEPTCLASS_ACCESS_FAULT, "ACCESS_INVALID_ADDRESS"},
    [EXCEPTCODE_ACCESS_DENIED] = {EXCEPTCLASS_ACCESS_FAULT, "ACCESS_DENIED"},
    [EXCEPTCODE_ACCESS_INVALID_PAGE] = {EXCEPTCLASS_ACCESS_FAULT, "ACCESS_INVALID_PAGE"},
    [EXCEPTCODE_ACCESS_MISALIGNED] = {EXCEPTCLASS_ACCESS_FAULT, "ACCESS_MISALIGNED"},
    [EXCEPTCODE_ILLEGAL_INS] = {EXCEPTCLASS_INVALID_INS, "ILLEGAL_INS"},
    [EXCEPTCODE_PRIVILEGED_INS] = {EXCEPTCLASS_INVALID_INS, "PRIVILEGED_INS"},
    [EXCEPTCODE_INT_DIVIDE_BY_ZERO] = {EXCEPTCLASS_INT_ERROR, "INT_DIVIDE_BY_ZERO"},
    [EXCEPTCODE_INT_OVERFLOW_TRAP] = {EXCEPTCLASS_INT_ERROR, "INT_OVERFLOW_TRAP"},
    [EXCEPTCODE_INT_BOUNDS_EXCEEDED] = {EXCEPTCLASS_INT_ERROR, "INT_BOUNDS_EXCEEDED"},
    [EXCEPTCODE_X87_DIVIDE_BY_ZERO] = {EXCEPTCLASS_FP_ERROR, "X87_DIVIDE_BY_ZERO"},
    [EXCEPTCODE_X87_OVERFLOW] = {EXCEPTCLASS_FP_ERROR, "X87_OVERFLOW"},
    [EXCEPTCODE_X87_UNDERFLOW] = {EXCEPTCLASS_FP_ERROR, "X87_UNDERFLOW"},
    [EXCEPTCODE_X87_INEXACT_RESULT] = {EXCEPTCLASS_FP_ERROR, "X87_INEXACT_RESULT"},
    [EXCEPTCODE_X87_INVALID_OPERATION] = {EXCEPTCLASS_FP_ERROR, "X87_INVALID_OPERATION"},
    [EXCEPTCODE_X87_DENORMAL_OPERAND] = {EXCEPTCLASS_FP_ERROR, "X87_DENORMAL_OPERAND"},
    [EXCEPTCODE_X87_STACK_ERROR] = {EXCEPTCLASS_FP_ERROR, "X87_STACK_ERROR"},
    [EXCEPTCODE_SIMD_DIVIDE_BY_ZERO] = {EXCEPTCLASS_FP_ERROR, "SIMD_DIVIDE_BY_ZERO"},
    [EXCEPTCODE_SIMD_OVERFLOW] = {EXCEPTCLASS_FP_ERROR, "SIMD_OVERFLOW"},
    [EXCEPTCODE_SIMD_UNDERFLOW] = {EXCEPTCLASS_FP_ERROR, "SIMD_UNDERFLOW"},
    [EXCEPTCODE_SIMD_INEXACT_RESULT] = {EXCEPTCLASS_FP_ERROR, "SIMD_INEXACT_RESULT"},
    [EXCEPTCODE_SIMD_INVALID_OPERATION] = {EXCEPTCLASS_FP_ERROR, "SIMD_INVALID_OPERATION"},
    [EXCEPTCODE_SIMD_DENORMAL_OPERAND] = {EXCEPTCLASS_FP_ERROR, "SIMD_DENORMAL_OPERAND"},
    [EXCEPTCODE_DBG_BREAKPOINT_TRAP] = {EXCEPTCLASS_DEBUG, "DBG_BREAKPOINT_TRAP"},
    [EXCEPTCODE_DBG_SINGLE_STEP_TRAP] = {EXCEPTCLASS_DEBUG, "DBG_SINGLE_STEP_TRAP"},
    [EXCEPTCODE_ACCESS_WINDOWS_GUARD_PAGE] = {EXCEPTCLASS_ACCESS_FAULT, "ACCESS_WINDOWS_GUARD_PAGE"},
    [EXCEPTCODE_ACCESS_WINDOWS_STACK_OVERFLOW] = {EXCEPTCLASS_ACCESS_FAULT, "ACCESS_WINDOWS_STACK_OVERFLOW"},
    [EXCEPTCODE_WINDOWS] = {EXCEPTCLASS_OS, "WINDOWS"},
    [EXCEPTCODE_RECEIVED_UNKNOWN] = {EXCEPTCLASS_UNKNOWN, "RECEIVED_UNKNOWN"},
    [EXCEPTCODE_RECEIVED_ACCESS_FAULT] = {EXCEPTCLASS_ACCESS_FAULT, "RECEIVED_ACCESS_FAULT"},
    [EXCEPTCODE_RECEIVED_AMBIGUOUS_X87] = {EXCEPTCLASS_MULTIPLE_FP_ERROR, "RECEIVED_AMBIGUOUS_X87"},
    [EXCEPTCODE_RECEIVED_AMBIGUOUS_SIMD] = {EXCEPTCLASS_MULTIPLE_FP_ERROR, "RECEIVED_AMBIGUOUS_SIMD"},
};

static const char *const access_names[] = {"unknown", "read", "write", "execute"};

static u32 code_of(const EXCEPTION_INFO *info)
{
    return info->code < ARRAY_LEN(codes) ? info->code : EXCEPTCODE_RECEIVED_UNKNOWN;
}

/* --- the API ---------------------------------------------------------------------------------------------------- */

VOID PIN_InitExceptionInfo(EXCEPTION_INFO *info, EXCEPTION_CODE code, ADDRINT address)
{
    memset(info, 0, sizeof *info);
    info->code = (u32)code;
    info->address = address;
}

VOID PIN_InitAccessFaultInfo(EXCEPTION_INFO *info, EXCEPTION_CODE code, ADDRINT address, ADDRINT access,
                             FAULTY_ACCESS_TYPE type)
{
    if ((u32)code >= ARRAY_LEN(codes) || codes[code].class != EXCEPTCLASS_ACCESS_FAULT)
        api_misuse(__func__, NULL, 0, "%d is not the code of an access fault", (int)code);
    PIN_InitExceptionInfo(info, code, address);
    info->access_type = (u32)type;
    info->access_address = access;
    info->has_access_address = true;
}

EXCEPTION_CODE PIN_GetExceptionCode(const EXCEPTION_INFO *info) { return (EXCEPTION_CODE)info->code; }
EXCEPTION_CLASS PIN_GetExceptionClass(EXCEPTION_CODE code)
{
    return (u32)code < ARRAY_LEN(codes) ? (EXCEPTION_CLASS)codes[code].class : EXCEPTCLASS_UNKNOWN;
}
ADDRINT PIN_GetExceptionAddress(const EXCEPTION_INFO *info) { return info->address; }
VOID PIN_SetExceptionAddress(EXCEPTION_INFO *info, ADDRINT address) { info->address = address; }
FAULTY_ACCESS_TYPE PIN_GetFaultyAccessType(const EXCEPTION_INFO *info) { return (FAULTY_ACCESS_TYPE)info->access_type; }
UINT32 PIN_GetFpErrorSet(const EXCEPTION_INFO *info) { return info->fp_errors; }

BOOL PIN_GetFaultyAccessAddress(const EXCEPTION_INFO *info, ADDRINT *address)
{
    if (!info->has_access_address || (arch_narrow_tool && info->access_address >> 32))
        return false;
    if (arch_narrow_tool)
        *(u32 *)address = (u32)info->access_address;
    else
        *address = info->access_address;
    return true;
}

const char *exception_text(const EXCEPTION_INFO *info)
{
    static __thread char text[256];
    int n = base_format(text, sizeof text, "Exception Code: %s(0x%x). Exception Address: 0x%lx.",
                        codes[code_of(info)].name, info->code, info->address);
    if (codes[code_of(info)].class == EXCEPTCLASS_ACCESS_FAULT && info->has_access_address)
        base_format(text + n, sizeof text - (size_t)n, " Access Type: %s. Access Address: 0x%lx.",
                    access_names[info->access_type & 3], info->access_address);
    return text;
}

const CHAR *PIN_ExceptionToString(const EXCEPTION_INFO *info) { return exception_text(info); }

/* --- faults ----------------------------------------------------------------------------------------------------- */

static u32 fp_code(const struct os_fault_info *f)
{
    static const u8 x87[] = {[FAULT_FP_OTHER] = EXCEPTCODE_RECEIVED_AMBIGUOUS_X87,
        [FAULT_FP_DIVIDE] = EXCEPTCODE_X87_DIVIDE_BY_ZERO, [FAULT_FP_OVERFLOW] = EXCEPTCODE_X87_OVERFLOW,
        [FAULT_FP_UNDERFLOW] = EXCEPTCODE_X87_UNDERFLOW, [FAULT_FP_INEXACT] = EXCEPTCODE_X87_INEXACT_RESULT,
        [FAULT_FP_INVALID] = EXCEPTCODE_X87_INVALID_OPERATION,
        [FAULT_FP_STACK] = EXCEPTCODE_X87_STACK_ERROR};
    static const u8 simd[] = {[FAULT_FP_OTHER] = EXCEPTCODE_RECEIVED_AMBIGUOUS_SIMD,
        [FAULT_FP_DIVIDE] = EXCEPTCODE_SIMD_DIVIDE_BY_ZERO, [FAULT_FP_OVERFLOW] = EXCEPTCODE_SIMD_OVERFLOW,
        [FAULT_FP_UNDERFLOW] = EXCEPTCODE_SIMD_UNDERFLOW, [FAULT_FP_INEXACT] = EXCEPTCODE_SIMD_INEXACT_RESULT,
        [FAULT_FP_INVALID] = EXCEPTCODE_SIMD_INVALID_OPERATION,
        [FAULT_FP_STACK] = EXCEPTCODE_RECEIVED_AMBIGUOUS_SIMD};
    return f->kind == FAULT_SIMD ? simd[f->fp] : x87[f->fp];
}

void exception_from_fault(EXCEPTION_INFO *out, const struct os_fault_info *f, u64 pc)
{
    static const u8 by_kind[] = {[FAULT_UNMAPPED] = EXCEPTCODE_ACCESS_INVALID_ADDRESS,
        [FAULT_DENIED] = EXCEPTCODE_ACCESS_DENIED, [FAULT_NO_PAGE] = EXCEPTCODE_ACCESS_INVALID_PAGE,
        [FAULT_MISALIGNED] = EXCEPTCODE_ACCESS_MISALIGNED, [FAULT_PROTECTION] = EXCEPTCODE_RECEIVED_ACCESS_FAULT,
        [FAULT_ILLEGAL] = EXCEPTCODE_ILLEGAL_INS,
        [FAULT_PRIVILEGED] = EXCEPTCODE_PRIVILEGED_INS, [FAULT_INT_DIVIDE] = EXCEPTCODE_INT_DIVIDE_BY_ZERO,
        [FAULT_INT_OVERFLOW] = EXCEPTCODE_INT_OVERFLOW_TRAP, [FAULT_BOUNDS] = EXCEPTCODE_INT_BOUNDS_EXCEEDED,
        [FAULT_BREAKPOINT] = EXCEPTCODE_DBG_BREAKPOINT_TRAP, [FAULT_STEP] = EXCEPTCODE_DBG_SINGLE_STEP_TRAP,
        [FAULT_OTHER] = EXCEPTCODE_RECEIVED_UNKNOWN};
    bool fp = f->kind == FAULT_X87 || f->kind == FAULT_SIMD;
    PIN_InitExceptionInfo(out, fp ? fp_code(f) : by_kind[f->kind], pc);
    out->has_access_address = f->has_address;
    out->access_address = f->address;
    out->access_type = f->access;
}
