/* SPDX-License-Identifier: Apache-2.0
 * C++ classes over the ABI's structures: exceptions, the objects that IARG_MULTI_ELEMENT_OPERAND and IARG_REWRITE_SCATTERED_MEMOP give, prototypes, ATOMIC. Header only. */
#ifndef LINCHPIN_OBJECTS_HPP
#define LINCHPIN_OBJECTS_HPP
#include "api_text.h"
#include "knob.hpp"
#include "strings.hpp"

namespace LEVEL_BASE {

/* The same memory as LP_EXCEPTION_INFO. */
class EXCEPTION_INFO : public LP_EXCEPTION_INFO
{
  public:
    EXCEPTION_INFO() { Reset(); }
    VOID Reset() { std::memset(static_cast<LP_EXCEPTION_INFO *>(this), 0, sizeof(LP_EXCEPTION_INFO)); }
    EXCEPTION_INFO &Init(EXCEPTION_CODE c, LP_ADDRESS at) { PIN_InitExceptionInfo(this, c, at); return *this; }
    EXCEPTION_INFO &InitAccessFault(EXCEPTION_CODE c, LP_ADDRESS at, LP_ADDRESS access, FAULTY_ACCESS_TYPE type) { PIN_InitAccessFaultInfo(this, c, at, access, type); return *this; }
    BOOL IsEmpty() const { return code == EXCEPTCODE_NONE; }
    EXCEPTION_CODE GetExceptCode() const { return static_cast<EXCEPTION_CODE>(code); }
    EXCEPTION_CLASS GetExceptClass() const { return PIN_GetExceptionClass(GetExceptCode()); }
    static EXCEPTION_CLASS GetExceptClass(EXCEPTION_CODE c) { return PIN_GetExceptionClass(c); }
    LP_ADDRESS GetExceptAddress() const { return address; }
    VOID SetExceptAddress(LP_ADDRESS a) { address = a; }
    BOOL IsAccessFault() const { return GetExceptClass() == EXCEPTCLASS_ACCESS_FAULT; }
    FAULTY_ACCESS_TYPE GetFaultyAccessType() const { return static_cast<FAULTY_ACCESS_TYPE>(access_type); }
    BOOL GetFaultyAccessAddress(ADDRINT *out) const
    {
        return PIN_GetFaultyAccessAddress(this, out);
    }
    BOOL IsMultipleFpException() const { return GetExceptClass() == EXCEPTCLASS_MULTIPLE_FP_ERROR; }
    UINT32 GetFpErrors() const { return fp_errors; }
    EXCEPTION_INFO &InitMultipleFpError(EXCEPTION_CODE c, LP_ADDRESS at, UINT32 errors)
    {
        PIN_InitExceptionInfo(this, c, at);
        fp_errors = errors;
        return *this;
    }
    /* Raised behind the instruction, not in front of it. */
    static BOOL IsTrap(EXCEPTION_CODE c) { return c == EXCEPTCODE_INT_OVERFLOW_TRAP || c == EXCEPTCODE_DBG_BREAKPOINT_TRAP || c == EXCEPTCODE_DBG_SINGLE_STEP_TRAP; }
    BOOL IsTrap() const { return IsTrap(GetExceptCode()); }
    std::string GetCodeAsString() const
    {
        static const char *const names[] = {
            "NONE", "ACCESS_INVALID_ADDRESS", "ACCESS_DENIED", "ACCESS_INVALID_PAGE", "ACCESS_MISALIGNED", "ILLEGAL_INS", "PRIVILEGED_INS", "INT_DIVIDE_BY_ZERO",
            "INT_OVERFLOW_TRAP", "INT_BOUNDS_EXCEEDED", "X87_DIVIDE_BY_ZERO", "X87_OVERFLOW", "X87_UNDERFLOW", "X87_INEXACT_RESULT", "X87_INVALID_OPERATION",
            "X87_DENORMAL_OPERAND", "X87_STACK_ERROR", "SIMD_DIVIDE_BY_ZERO", "SIMD_OVERFLOW", "SIMD_UNDERFLOW", "SIMD_INEXACT_RESULT", "SIMD_INVALID_OPERATION",
            "SIMD_DENORMAL_OPERAND", "DBG_BREAKPOINT_TRAP", "DBG_SINGLE_STEP_TRAP", "ACCESS_WINDOWS_GUARD_PAGE", "ACCESS_WINDOWS_STACK_OVERFLOW", "WINDOWS",
            "RECEIVED_UNKNOWN", "RECEIVED_ACCESS_FAULT", "RECEIVED_AMBIGUOUS_X87", "RECEIVED_AMBIGUOUS_SIMD",
        };
        return code < sizeof names / sizeof names[0] ? std::string("EXCEPTCODE_") + names[code] : decstr(code);
    }
    /* There are none on Linux. */
    BOOL IsWindowsSysException() const { return false; }
    UINT32 GetWindowsSysExceptionCode() const { return 0; }
    UINT32 CountWindowsSysArguments() const { return 0; }
    ADDRINT GetWindowsSysArgument(UINT32) const { return 0; }
    EXCEPTION_INFO &InitWindowsSysException(UINT32, ADDRINT at, UINT32, const ADDRINT *) { return Init(EXCEPTCODE_WINDOWS, at); }
    std::string ToString() const { return LP_C::PIN_ExceptionToString(this); }
};

/* The engine makes these with a table of functions of its own (multi.h), so the order of the methods is part of the ABI. */
class IMULTI_ELEMENT_OPERAND
{
  public:
    virtual BOOL IsMemory() const = 0;
    virtual BOOL IsRegister() const = 0;
    virtual UINT32 NumOfElements() const = 0;
    virtual ADDRINT Address() const = 0;
    virtual USIZE Size() const = 0;
    virtual ADDRINT ElementAddress(UINT32 i) const = 0;
    virtual USIZE ElementSize(UINT32 i) const = 0;
    virtual UINT32 ElementOffset(UINT32 i) const = 0;
    virtual UINT32 ElementMaskValue(UINT32 i) const = 0;
    virtual PIN_OP_ELEMENT_ACCESS ElementAccessType(UINT32 i) const = 0;

  protected:
    ~IMULTI_ELEMENT_OPERAND() {}
};

class ISCATTERED_MEMORY_REWRITE
{
  public:
    virtual UINT32 NumOfElements() const = 0;
    virtual ADDRINT ElementAddress(UINT32 i) const = 0;
    virtual USIZE ElementSize(UINT32 i) const = 0;
    virtual UINT32 ElementOffset(UINT32 i) const = 0;
    virtual UINT32 ElementMaskValue(UINT32 i) const = 0;
    virtual VOID SetElementAddress(UINT32 i, LP_ADDRESS address) = 0;

  protected:
    ~ISCATTERED_MEMORY_REWRITE() {}
};

/* --- prototypes: PIN_PARG(type) ------------------------------------------------------------------------------------------------------------------ */
inline PARG_T _PinParg(PARG_TYPE kind, size_t bytes)
{
    PARG_T p = {kind, static_cast<UINT32>(bytes)};
    return p;
}
template <typename T> struct _PinPargClass { static PARG_T parg() { return _PinParg(PARG_AGGREGATE, sizeof(T)); } };
template <typename T> struct _PinPargClass<T *> { static PARG_T parg() { return _PinParg(PARG_POINTER, sizeof(T *)); } };
template <typename T> struct _PinPargClass<T &> { static PARG_T parg() { return _PinParg(PARG_POINTER, sizeof(T *)); } };
template <typename T> struct _PinPargClass<const T> { static PARG_T parg() { return _PinPargClass<T>::parg(); } };
template <> struct _PinPargClass<void> { static PARG_T parg() { return _PinParg(PARG_VOID, 0); } };
#define LP_PARG(type, kind) template <> struct _PinPargClass<type> { static PARG_T parg() { return _PinParg(kind, sizeof(type)); } };
LP_PARG(bool, PARG_BOOL)
LP_PARG(char, PARG_CHAR)
LP_PARG(unsigned char, PARG_UCHAR)
LP_PARG(signed char, PARG_SCHAR)
LP_PARG(short, PARG_SHORT)
LP_PARG(unsigned short, PARG_USHORT)
LP_PARG(int, PARG_INT)
LP_PARG(unsigned int, PARG_UINT)
LP_PARG(long, PARG_LONG)
LP_PARG(unsigned long, PARG_ULONG)
LP_PARG(long long, PARG_LONGLONG)
LP_PARG(unsigned long long, PARG_ULONGLONG)
LP_PARG(float, PARG_FLOAT)
LP_PARG(double, PARG_DOUBLE)
#undef LP_PARG

#define PIN_PARG(type) LEVEL_BASE::_PinPargClass<type>::parg()
#define PIN_PARG_ENUM(type) LEVEL_BASE::_PinParg(LEVEL_BASE::PARG_ENUM, sizeof(type))
#define PIN_PARG_AGGREGATE(type) LEVEL_BASE::_PinParg(LEVEL_BASE::PARG_AGGREGATE, sizeof(type))
#define PIN_PARG_END() LEVEL_BASE::_PinParg(LEVEL_BASE::PARG_END, 0)

/* --- values of knobs and symbols by themselves, as Pin's own headers have them ------------------------------------------------------------------- */
template <typename TYPE> class KNOBVALUE
{
  public:
    KNOBVALUE() : _value(), _next(0) {}
    explicit KNOBVALUE(const std::string &text) : _next(0) { Overwrite(text); }
    const TYPE &Value() const { return _value; }
    const std::string &ValueString() const { return _text; }
    KNOBVALUE *Next() const { return _next; }
    VOID Append(KNOBVALUE *next) { _next = next; }
    VOID Overwrite(const std::string &text)
    {
        _text = text;
        _value = FromString(text);
    }
    VOID Accumulate(const std::string &text)
    {
        LP_Accumulate(&_value, FromString(text));
        _text += "," + text;
    }
    static TYPE Accumulate(TYPE &sum, const TYPE &v)
    {
        LP_Accumulate(&sum, v);
        return sum;
    }
    static TYPE FromString(const std::string &text)
    {
        TYPE v = TYPE();
        LP_Read(text, &v);
        return v;
    }
    static std::string ToString(const TYPE &v, const std::string &text)
    {
        std::ostringstream out;
        if (text.empty())
            out << v;
        return text.empty() ? out.str() : text;
    }
    static const std::string Type() { return LP_KnobType<TYPE>::Name(); }

  private:
    std::string _text;
    TYPE _value;
    KNOBVALUE *_next;
};

template <typename TYPE> class KNOBVALUE_LIST
{
  public:
    /* With a default, which the first value given takes the place of. */
    KNOBVALUE_LIST(const std::string &text, BOOL is_default) : _default(is_default), _values(1, KNOBVALUE<TYPE>(text)) {}
    VOID Append(const std::string &text)
    {
        if (_default)
            _values.clear();
        _default = false;
        _values.push_back(KNOBVALUE<TYPE>(text));
    }
    VOID Overwrite(const std::string &text)
    {
        _default = false;
        _values.assign(1, KNOBVALUE<TYPE>(text));
    }
    VOID Accumulate(const std::string &text)
    {
        if (_default)
            Overwrite(text);
        else
            _values[0].Accumulate(text);
    }
    UINT32 NumberOfValues() const { return static_cast<UINT32>(_values.size()); }
    const TYPE &Value(const UINT32 i = 0) const { return _values[i].Value(); }
    const std::string &ValueString(const UINT32 i = 0) const { return _values[i].ValueString(); }

  private:
    BOOL _default;
    std::vector<KNOBVALUE<TYPE> > _values;
};

struct SymbolAddressRange {
    SymbolAddressRange() : start(0), size(0) {}
    SymbolAddressRange(const std::string &n, ADDRINT s, size_t bytes) : name(n), start(s), size(bytes) {}
    BOOL Contains(const ADDRINT a) const { return a - start < size; }
    std::string name;
    ADDRINT start;
    size_t size;
};
struct SymbolDebugInfo : public SymbolAddressRange {
    SymbolDebugInfo(const std::string &n, ADDRINT s, size_t bytes) : SymbolAddressRange(n, s, bytes) {}
};

} // namespace LEVEL_BASE
#endif
