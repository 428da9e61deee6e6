/* SPDX-License-Identifier: Apache-2.0
 * Argument lists of analysis calls, checked by the compiler (C++11 and later). Every list must end with IARG_END. Where the routine is given as it is, without AFUNPTR, its
 * signature is known, and it must take as many arguments as the list has, as far as the compiler sees the list's constants (so with optimisation). Everything else is left to
 * the engine, which looks when the call is inserted. Header only; no code is added. */
#ifndef LINCHPIN_CHECKED_HPP
#define LINCHPIN_CHECKED_HPP
#if __cplusplus >= 201103L

#define LP_ALWAYS inline __attribute__((always_inline))

namespace LEVEL_BASE {

extern "C" {
VOID lp_too_few_arguments(VOID) __attribute__((error("the list has fewer arguments than the analysis routine takes")));
VOID lp_too_many_arguments(VOID) __attribute__((error("the list has more arguments than the analysis routine takes")));
}

template <typename... A> struct LP_Ends { enum { value = 0 }; };
template <> struct LP_Ends<IARG_TYPE> { enum { value = 1 }; };
template <typename T, typename U, typename... A> struct LP_Ends<T, U, A...> : LP_Ends<U, A...> {};

/* How many words follow an IARG. */
LP_ALWAYS int LP_ValuesOf(int iarg)
{
    switch (iarg) {
    case IARG_PARTIAL_CONTEXT: return 2;
    case IARG_ADDRINT: case IARG_PTR: case IARG_UINT64: case IARG_PROTOTYPE: case IARG_IARGLIST: case IARG_PRESERVE: case IARG_EXPOSE: case IARG_BOOL: case IARG_UINT32:
    case IARG_MEMORYOP_EA: case IARG_MEMORYOP_PA: case IARG_MEMORYOP_PTR: case IARG_MEMORYOP_SIZE: case IARG_MEMORYOP_MASKED_ON: case IARG_MULTI_ELEMENT_OPERAND: case IARG_SYSARG_VALUE:
    case IARG_SYSARG_REFERENCE: case IARG_FUNCARG_CALLSITE_VALUE: case IARG_FUNCARG_CALLSITE_REFERENCE: case IARG_FUNCARG_ENTRYPOINT_VALUE:
    case IARG_FUNCARG_ENTRYPOINT_REFERENCE: case IARG_CALL_ORDER: case IARG_REG_VALUE: case IARG_REG_REFERENCE: case IARG_REG_CONST_REFERENCE: case IARG_RETURN_REGS:
    case IARG_FILE_NAME: case IARG_LINE_NO: return 1;
    }
    return 0;
}
/* How many parameters it becomes; a list inside a list is not looked into. */
LP_ALWAYS int LP_ParametersOf(int iarg)
{
    switch (iarg) {
    case IARG_IARGLIST: return 1000;
    case IARG_RETURN_REGS: case IARG_CALL_ORDER: case IARG_FAST_ANALYSIS_CALL: case IARG_PROTOTYPE: case IARG_PRESERVE: case IARG_EXPOSE: case IARG_CHECK_INLINE:
    case IARG_FILE_NAME: case IARG_LINE_NO: case IARG_LAST: return 0;
    }
    return 1;
}

LP_ALWAYS int LP_Code(IARG_TYPE iarg) { return iarg; }
template <typename T> LP_ALWAYS int LP_Code(const T &) { return 0; }

/* The parameters of a list of which `skip` words are still values of the last IARG. */
LP_ALWAYS int LP_Count(int) { return 0; }
template <typename T, typename... A> LP_ALWAYS int LP_Count(int skip, T first, A... rest)
{
    return skip ? LP_Count(skip - 1, rest...) : LP_ParametersOf(LP_Code(first)) + LP_Count(LP_ValuesOf(LP_Code(first)), rest...);
}

template <typename... A> LP_ALWAYS VOID LP_CheckCount(int takes, A... list)
{
    int n = LP_Count(0, list...);
    if (__builtin_constant_p(n) && n < takes)
        lp_too_few_arguments();
    if (__builtin_constant_p(n) && n > takes && n < 1000)
        lp_too_many_arguments();
}

/* As the engine reads it. An address of an IA-32 program goes into a whole word. */
template <typename T> LP_ALWAYS T LP_Word(T v) { return v; }
#ifdef LP_IA32
LP_ALWAYS UINT64 LP_Word(UINT32 v) { return v; }
LP_ALWAYS UINT64 LP_Word(INT32 v) { return static_cast<UINT32>(v); }

extern "C" VOID lp_IARGLIST_AddArguments(IARGLIST list, ...) __asm__("IARGLIST_AddArguments");
template <typename... A> LP_ALWAYS VOID IARGLIST_AddArguments(IARGLIST list, IARG_TYPE first, A... rest) { lp_IARGLIST_AddArguments(list, first, LP_Word(rest)...); }
#endif

#define LP_CHECKED(name, OBJECT)                                                                                                                                   \
    extern "C" VOID lp_##name(OBJECT object, IPOINT point, AFUNPTR fn, ...) __asm__(#name);                                                                        \
    template <typename... A> LP_ALWAYS VOID name(OBJECT object, IPOINT point, AFUNPTR fn, A... list)                                                               \
    {                                                                                                                                                              \
        static_assert(LP_Ends<A...>::value, #name ": IARG_END is missing at the end of the list");                                                                 \
        lp_##name(object, point, fn, LP_Word(list)...);                                                                                                                     \
    }                                                                                                                                                              \
    template <typename R, typename... P, typename... A> LP_ALWAYS VOID name(OBJECT object, IPOINT point, R (*fn)(P...), A... list)                                 \
    {                                                                                                                                                              \
        static_assert(LP_Ends<A...>::value, #name ": IARG_END is missing at the end of the list");                                                                 \
        LP_CheckCount(sizeof...(P), list...);                                                                                                                      \
        lp_##name(object, point, reinterpret_cast<AFUNPTR>(fn), LP_Word(list)...);                                                                                 \
    }
LP_CHECKED(INS_InsertCall, INS)
LP_CHECKED(INS_InsertPredicatedCall, INS)
LP_CHECKED(INS_InsertIfCall, INS)
LP_CHECKED(INS_InsertThenCall, INS)
LP_CHECKED(INS_InsertIfPredicatedCall, INS)
LP_CHECKED(INS_InsertThenPredicatedCall, INS)
LP_CHECKED(BBL_InsertCall, BBL)
LP_CHECKED(BBL_InsertIfCall, BBL)
LP_CHECKED(BBL_InsertThenCall, BBL)
LP_CHECKED(TRACE_InsertCall, TRACE)
LP_CHECKED(TRACE_InsertIfCall, TRACE)
LP_CHECKED(TRACE_InsertThenCall, TRACE)
LP_CHECKED(RTN_InsertCall, RTN)
#undef LP_CHECKED

} // namespace LEVEL_BASE
#endif
#endif
