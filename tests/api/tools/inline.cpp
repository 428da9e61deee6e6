/* SPDX-License-Identifier: Apache-2.0
 * What is code in the headers: texts, ranges, register sets, knobs, messages, exceptions. The checklist builds this once more with counters, to see that all of it runs. */
#include "checks.h"

#include <type_traits>

extern "C" void __gcov_dump() __attribute__((weak));

static KNOB<INT32> number(KNOB_MODE_OVERWRITE, "pintool:inline", "number", "5", "a number");
static KNOB<std::string> word(KNOB_MODE_APPEND, "pintool:other", "word", "w", "words");
static KNOB_COMMENT comment("pintool:other", "a comment");

static void Texts()
{
    EQUAL(decstr(INT32(-7)) + decstr(UINT32(7), 3) + decstr(INT64(-1)) + decstr(UINT64(1) << 40) + decstr(UINT16(9)) + decstr(INT16(-9)), std::string("-7  7-110995116277769-9"));
    EQUAL(hexstr(UINT32(255)) + hexstr(INT32(-1)) + hexstr(UINT64(1) << 36) + hexstr(UINT16(16)), std::string("0xff0xffffffff0x10000000000x10"));
    EQUAL(hexstr(reinterpret_cast<VOID *>(0x1234)), std::string("0x1234"));
    EQUAL(ptrstr(reinterpret_cast<VOID *>(0x1234)), std::string("0x1234"));
    EQUAL(fltstr(1.25, 2, 6) + StringFlt(0.5, 1), std::string("  1.250.5"));
    EQUAL(ljstr("ab", 4, '.') + StringDec(5, 3, '0') + StringDecSigned(-5, 4), std::string("ab..005  -5"));
    EQUAL(StringHex(10) + StringHex32(11) + StringHex(12, 4, false), std::string("0xa0xb000c"));
    EQUAL(StringBignum(1234567) + StringBool(true) + StringTri(TRI_NO), std::string("1,234,567TRUENO"));
    EQUAL(StringFromAddrint(0x10), std::string("0x0000000000000010"));
    EQUAL(StringFromUint64(0x10), std::string("0x10"));
    EQUAL(DECSTR(3)(7) + HEXSTR(4)(255) + FLTSTR(1, 5)(2.5), std::string("  70x00ff  2.5"));
    EQUAL(Uint32FromString("0x10") + UINT32(Int32FromString("-4")) + Uint64FromString("077") + UINT64(Int64FromString("-1")) + AddrintFromString("12"), 16 - 4 + 63 - 1 + 12u);
    EQUAL(FLT64FromString("2.5"), 2.5);
    TRUE_(CharIsSpace('\t') && !CharIsSpace('x') && CharToUpper('q') == 'Q' && CharToHexDigit('f') == 15 && CharToHexDigit('7') == 7 && CharToHexDigit('g') < 0);
    EQUAL(Joinpath("a", "b"), std::string("a/b"));
    std::istringstream in("first\nsecond\n");
    UINT32 line = 0;
    EQUAL(ReadLine(in, &line), std::string("first"));
    EQUAL(line, 1u);
    EQUAL(Reformat("one two three", "> ", 4, 9), std::string("> one two\n> three"));
}

static void Numbers()
{
    EQUAL(KILO + MEGA / KILO + GIGA / MEGA, 3072);
    EQUAL(MAX(3, 4) * 10 + MIN(3, 4), 43);
    char bytes[16];
    EQUAL(PtrDiff(bytes + 10, bytes), 10u);
    EQUAL(PtrAtOffset(static_cast<VOID *>(bytes), 3), static_cast<VOID *>(bytes + 3));
    EQUAL(VoidStar2Addrint(Addrint2VoidStar(0x77)), 0x77u);
    EQUAL(GetPageOfAddr(0x12345), 0x12000u);
    EQUAL(BitCount(0xf0f), 8u);
    EQUAL(RoundDown(17u, 8u) * 100 + RoundUp(17u, 8u), 1624u);
    REG r = REG_RSI;
    EQUAL(r++, REG_RSI);
    EQUAL(r--, REG_RBP);
    OPTIONAL_VALUE<int> maybe;
    FALSE_(maybe.HasValue());
    maybe.Set(4);
    TRUE_(maybe.HasValue() && maybe.Value() == 4 && *maybe.ValuePtr() == 4);
    int got = 0;
    TRUE_(maybe.Get(&got) && got == 4);
    maybe.Reset();
    FALSE_(maybe.HasValue());
    TRUE_(_PinParg(PARG_INT, 4).kind == PARG_INT && _PinParg(PARG_INT, 4).size == 4);
}

static VOID *P(ADDRINT a) { return reinterpret_cast<VOID *>(a); }

static void Ranges()
{
    MemRange a(ADDRINT(0x1010), 0x20), b(P(0x1030), P(0x1050)), c;
    TRUE_(a.Base() == P(0x1010) && a.End() == P(0x1030) && a.Last() == P(0x102f) && a.Size() == 0x20 && b.Size() == 0x20);
    TRUE_(c.IsEmpty() && !a.IsEmpty() && a.Contains(P(0x102f)) && !a.Contains(P(0x1030)) && !a.Contains(P(0x100f)));
    TRUE_(a.AdjacentTo(b) && b.AdjacentTo(a) && !a.Intersects(b));
    MemRange both = a;
    both.Combine(b);
    TRUE_(both.Base() == P(0x1010) && both.Size() == 0x40 && both.Contains(a) && both.Intersects(b));
    MemRange page = a;
    page.Align(0x1000);
    TRUE_(page.Base() == P(0x1000) && page.Size() == 0x1000);
    MemRange down(ADDRINT(0x1234), 0x1f0), up(ADDRINT(0x1234), 0x1f0);
    TRUE_(down.AlignDown(0x100).Base() == P(0x1200) && down.Size() == 0x100 && up.AlignUp(0x100).Base() == P(0x1300) && up.Size() == 0x200);
    a.Shift(0x10);
    TRUE_(a.Base() == P(0x1020) && a.Size() == 0x20);
    a.ShiftBase(0x8);
    TRUE_(a.Base() == P(0x1028) && a.Size() == 0x18);
    a.ShiftEnd(0x8);
    TRUE_(a.End() == P(0x1048));
    TRUE_(MemPageRange(0x12345).Base() == P(0x12000) && MemPageRange(P(0x12345)).Size() == 4096);
    MemRange whole(ADDRINT(0x100), 0x100), part(ADDRINT(0x140), 0x20), before, inside, behind;
    whole.Decompose(part, &before, &inside, &behind);
    TRUE_(before.Base() == P(0x100) && before.Size() == 0x40 && inside.Base() == P(0x140) && inside.Size() == 0x20 && behind.Base() == P(0x160) && behind.Size() == 0xa0);
    whole.Decompose(MemRange(ADDRINT(0x80), 0x100), &before, &inside, &behind);
    TRUE_(before.IsEmpty() && inside.Size() == 0x80 && behind.Size() == 0x80);
    char here[64];
    TRUE_(MemRange(P(reinterpret_cast<ADDRINT>(here) - 4096), 65536).IsCurrentStack() && !whole.IsCurrentStack());
    ADDRESS_RANGE range(0x10, 0x30), wrong(2, 1);
    TRUE_(range.Valid() && !wrong.Valid() && range.Size() == 0x20);
    EQUAL(range.String(), std::string("0x10:0x30"));
}

static void Sets()
{
    REGSET s;
    TRUE_(s.PopCountIsZero() && REGSET_PopCountIsZero(s));
    REGSET_Insert(s, REG_RAX);
    s.Insert(REG_RBX);
    s.InsertVector(REG_XMM0, 5); /* xmm0, xmm2 */
    EQUAL(s.PopCount(), 4u);
    TRUE_(REGSET_Contains(s, REG_XMM2) && !s.Contains(REG_XMM1));
    EQUAL(s.Min(), REG_RBX);
    EQUAL(s.Max(), REG_XMM2);
    EQUAL(s.String(), std::string("{rbx rax xmm0 xmm2}"));
    EQUAL(REGSET_StringShort(s), s.String());
    EQUAL(s.Dump(), s.String());
    EQUAL(s.StringList(), std::string("rbx rax xmm0 xmm2"));
    EQUAL(REGSET::PrintRange(REG_RDI, REG_RSI), std::string("rdi-rsi"));
    REGSET other = s;
    EQUAL(other.HashKey(), s.HashKey());
    other.Invert();
    TRUE_(!other.Contains(REG_RAX) && other.Contains(REG_RCX) && other.PopCount() + 4 == UINT32(REG_LAST - REG_FIRST));
    EQUAL(s.PopNext(), REG_RBX);
    EQUAL(s.PopNextFast(), REG_RAX);
    EQUAL(REGSET_PopNext(s), REG_XMM0);
    REGSET_Remove(s, REG_XMM2);
    s.Remove(REG_RAX);
    EQUAL(REGSET_PopCount(s), 0u);
    REGSET_AddAll(s);
    EQUAL(s.PopCount(), UINT32(REG_LAST - REG_FIRST));
    s.InsertAll();
    REGSET_Clear(s);
    s.Clear();
    TRUE_(s.PopCountIsZero());
}

static void Knobs()
{
    KNOB_BASE *k = KNOB_BASE::FindKnob("number");
    EQUAL(k, static_cast<KNOB_BASE *>(&number));
    EQUAL(KNOB_BASE::FindKnob("absent"), static_cast<KNOB_BASE *>(0));
    TRUE_(k->Name() == "number" && k->Family() == "pintool:inline" && k->Cmd() == "-number" && k->Mode() == KNOB_MODE_OVERWRITE && k->Type() == "number" && k->NumberOfValues() == 0);
    TRUE_(number.Value() == 5 && k->ValueString(0) == "5" && number.ValueString() == "5" && !k->SetByUser() && k->Enabled());
    TRUE_(k->AddValue("6") && number.Value() == 6 && k->SetByUser() && !k->AddValue("six") && number == 6);
    TRUE_(word.AddValue("a") && word.AddValue("b") && word.NumberOfValues() == 2 && word.Value(1) == "b" && word.ValueString(0) == "a" && word.Value() == "a" && word.Type() == "string");
    word.TurnOnSetByUser();
    TRUE_(word.SetByUser());
    TRUE_(KNOB_BASE::FindFamily("pintool:inline") == k && KNOB_BASE::NumberOfKnobs() >= 3 && number.Compare(word) < 0);
    KNOB_BASE::DisableKnob("number");
    TRUE_(!k->Enabled() && KNOB_BASE::FindEnabledKnob("number") == 0 && KNOB_BASE::StringKnobSummary().find("-number") == std::string::npos);
    KNOB_BASE::EnableKnob("number");
    TRUE_(KNOB_BASE::FindEnabledKnob("number") == k);
    KNOB_BASE::DisableKnobFamily("pintool:other");
    TRUE_(!word.Enabled() && k->Enabled());
    KNOB_BASE::EnableKnobFamily("pintool:other");
    TRUE_(KNOB_BASE::StringKnobSummary().find("-word  [default w]\n\twords\n") != std::string::npos && KNOB_BASE::StringKnobSummary().find("a comment\n") != std::string::npos);
    TRUE_(KNOB_BASE::StringLongAll().find("-number  [default 5] (number, now 6)\n") != std::string::npos);
    KNOB_BASE::CheckAllKnobs(true);
}

static void KnobValues()
{
    TRUE_(KNOB_BASE::WasParsingDone() && !KNOB_BASE::WasDeveloperFlagsEnabled());
    KNOB_BASE::SetParsingDone();
    KNOB_BASE::SetDeveloperFlagsEnabled();
    TRUE_(KNOB_BASE::WasDeveloperFlagsEnabled());
    KNOBVALUE<INT32> a, b("7");
    a.Overwrite("5");
    a.Accumulate("6");
    TRUE_(a.Value() == 11 && a.ValueString() == "5,6" && b.Value() == 7 && a.Next() == 0);
    a.Append(&b);
    TRUE_(a.Next() == &b && KNOBVALUE<INT32>::Type() == "number" && KNOBVALUE<INT32>::FromString("0x10") == 16);
    INT32 sum = 3;
    TRUE_(KNOBVALUE<INT32>::Accumulate(sum, 4) == 7 && sum == 7);
    EQUAL(KNOBVALUE<INT32>::ToString(9, "") + KNOBVALUE<INT32>::ToString(9, "nine"), std::string("9nine"));
    KNOBVALUE_LIST<INT32> list("1", true);
    TRUE_(list.NumberOfValues() == 1 && list.Value() == 1 && list.ValueString() == "1");
    list.Append("2");
    list.Append("3");
    TRUE_(list.NumberOfValues() == 2 && list.Value(1) == 3 && list.ValueString(0) == "2");
    list.Accumulate("4");
    EQUAL(list.Value(), 6);
    list.Overwrite("8");
    TRUE_(list.NumberOfValues() == 1 && list.Value() == 8);
}

static void Exceptions()
{
    EXCEPTION_INFO e;
    ADDRINT where = 1;
    TRUE_(e.IsEmpty() && !e.GetFaultyAccessAddress(&where) && where == 1);
    e.InitAccessFault(EXCEPTCODE_ACCESS_DENIED, 0x1000, 0x2000, FAULTY_ACCESS_WRITE);
    TRUE_(!e.IsEmpty() && e.IsAccessFault() && !e.IsTrap() && !e.IsMultipleFpException() && !e.IsWindowsSysException());
    TRUE_(e.GetExceptCode() == EXCEPTCODE_ACCESS_DENIED && e.GetExceptAddress() == 0x1000 && e.GetFaultyAccessType() == FAULTY_ACCESS_WRITE && e.GetFaultyAccessAddress(&where) && where == 0x2000);
    TRUE_(e.GetExceptClass() == EXCEPTCLASS_ACCESS_FAULT && EXCEPTION_INFO::GetExceptClass(EXCEPTCODE_INT_DIVIDE_BY_ZERO) == EXCEPTCLASS_INT_ERROR);
    EQUAL(e.GetCodeAsString(), std::string("EXCEPTCODE_ACCESS_DENIED"));
    TRUE_(e.ToString().find("2000") != std::string::npos);
    e.SetExceptAddress(0x1234);
    EQUAL(e.GetExceptAddress(), 0x1234u);
    e.Init(EXCEPTCODE_DBG_BREAKPOINT_TRAP, 0x10);
    TRUE_(e.IsTrap() && EXCEPTION_INFO::IsTrap(EXCEPTCODE_DBG_SINGLE_STEP_TRAP) && !EXCEPTION_INFO::IsTrap(EXCEPTCODE_ACCESS_DENIED));
    e.InitMultipleFpError(EXCEPTCODE_RECEIVED_AMBIGUOUS_SIMD, 0x20, FPERROR_DIVIDE_BY_ZERO);
    EQUAL(e.GetFpErrors(), UINT32(FPERROR_DIVIDE_BY_ZERO));
    TRUE_(e.GetWindowsSysExceptionCode() == 0 && e.CountWindowsSysArguments() == 0 && e.GetWindowsSysArgument(0) == 0);
    e.InitWindowsSysException(1, 0x30, 0, 0);
    EQUAL(e.GetExceptCode(), EXCEPTCODE_WINDOWS);
    e.Reset();
    TRUE_(e.IsEmpty());
    SymbolDebugInfo symbol("f", 0x100, 0x10);
    SymbolAddressRange none;
    TRUE_(symbol.Contains(0x10f) && !symbol.Contains(0x110) && !none.Contains(0) && symbol.name == "f");
}

static std::string Read(const char *path)
{
    char text[1000];
    FILE *f = std::fopen(path, "r");
    size_t n = f ? std::fread(text, 1, sizeof text, f) : 0;
    if (f)
        std::fclose(f);
    return std::string(text, n);
}

static unsigned seen;
static BOOL Swallow(const std::string &text, PIN_ERRTYPE, INT32, INT32, INT32, va_list) { return seen++, text != "swallowed"; }

static void Registry(MESSAGE_TYPE &mine)
{
    UINT32 n = MESSAGE_TYPE::Number();
    TRUE_(MESSAGE_TYPE::Find("mine") == &mine && MESSAGE_TYPE::Find("absent") == 0 && n > 1);
    TRUE_(MESSAGE_TYPE::Disable("mine") && !mine.on() && MESSAGE_TYPE::Enable("mine") && mine.on() && !MESSAGE_TYPE::Enable("absent"));
    TRUE_(MESSAGE_TYPE::StringLongAll().find("mine  on  my own\n") != std::string::npos);
    TRUE_(MESSAGE_TYPE::GetLogFileName() == "pintool.log" && !MESSAGE_TYPE::ErrorFileSpecified() && !MESSAGE_TYPE::IsTerminating() && MESSAGE_TYPE::MessageCallBack() == 0);
    MESSAGE_TYPE::RegisterMessageCallBack(Swallow);
    TRUE_(MESSAGE_TYPE::MessageCallBack() == Swallow);
    mine.Message("swallowed");
    mine.Message("let through");
    MESSAGE_TYPE::UnregisterMessageCallBack();
    EQUAL(seen, 2u);
    {
        MESSAGE_TYPE_ALWAYS_ON always("always", "", true, false, false, LOGTYPE_CONSOLE, "");
        always.disable();
        TRUE_(always.on() && MESSAGE_TYPE::Number() == n + 1);
    }
    EQUAL(MESSAGE_TYPE::Number(), n);
    MESSAGE_TYPE::RegisterLogFile("other.log", false);
    LOG("abcdef");
    LP_Log().WriteAtPosition("XY", 2, 1);
    LOG("g");
    EQUAL(Read("other.log"), std::string("aXYdefg"));
    LP_Log().Close();
    std::remove("other.log");
}

static VOID Panic() { std::fprintf(stderr, "panic %d\n", MESSAGE_TYPE::IsTerminating()); }
static VOID Terminated()
{
    std::fprintf(stderr, "terminated\n");
    if (__gcov_dump)
        __gcov_dump();
}

/* Those that end the process are tried one at a time, by the setting end=... */
static void Messages()
{
    std::string path = LP_Standard().logfile.Value();
    LOG("log\n");
    INFO("info\n");
    STATS("off\n");
    PIN_DEBUG("off\n");
    PHASE("off\n");
    KNOWN("off\n");
    OPPORTUNITY("off\n");
    LP_MessageStats().enable();
    STATS("on\n");
    LP_MessageStats().disable();
    STATS("off\n");
    TRUE_(!LP_MessageStats().on() && LP_MessageLog().on() && LP_MessageStats().Compare(LP_MessageStats()) == 0);
    CONSOLE("to stderr");
    CONSOLE_NOPREFIX("bare");
    WARNING("warning");
    PIN_NON_FATAL_ERROR("not fatal");
    EQUAL(Read(path.c_str()), std::string("log\nI: info\nS: on\nW: warning\nE: not fatal\n"));
    LP_Log().Close();
    FALSE_(std::remove(path.c_str()));
    LOGFILE own;
    FALSE_(own.IsOpen());
    own.Open(path.c_str(), true);
    TRUE_(own.IsOpen());
    own.Write("text");
    own.Close();
    path += "." + decstr(PIN_GetPid());
    EQUAL(Read(path.c_str()), std::string("text"));
    std::remove(path.c_str());
    EQUAL(AssertString("f.cpp", "main", 3, "x"), std::string("f.cpp: main: 3: x"));
    MESSAGE_TYPE mine("mine", "M: ", true, true, false, false, LOGTYPE_CONSOLE, "my own");
    mine.Message("of mine");
    Registry(mine);
}

static void End(const std::string &how)
{
    if (how == "error")
        PIN_ERROR("an error\n");
    if (how == "fatal")
        PIN_FATAL_ERROR("an error\n");
    if (how == "critical")
        PIN_CRITICAL_ERROR("an error\n");
    if (how == "memory")
        PIN_OUT_OF_MEMORY("an error\n");
    if (how == "assert")
        ASSERT(1 == 2, "sums are wrong");
    if (how == "assertx")
        ASSERTX(how.empty());
    if (how == "assertq")
        ASSERTQ("never");
    if (how == "nyi")
        NYI();
    if (how == "print")
        MESSAGE_TYPE::PrintMessageAndExit("P: ", "printed");
    if (how == "hooks") {
        MESSAGE_TYPE::RegisterPanicCallBack(Panic);
        MESSAGE_TYPE::RegisterTerminateCallBack(Terminated);
        ASSERTX(how.empty());
    }
}

static_assert(std::is_same<FINI_CALLBACK, VOID (*)(INT32, VOID *)>::value, "");
static_assert(std::is_same<TRACE_INSTRUMENT_CALLBACK, VOID (*)(TRACE, VOID *)>::value && std::is_same<INS_INSTRUMENT_CALLBACK, VOID (*)(INS, VOID *)>::value, "");
static_assert(std::is_same<RTN_INSTRUMENT_CALLBACK, VOID (*)(RTN, VOID *)>::value && std::is_same<IMAGECALLBACK, VOID (*)(IMG, VOID *)>::value, "");
static_assert(std::is_same<THREAD_START_CALLBACK, VOID (*)(THREADID, CONTEXT *, INT32, VOID *)>::value, "");
static_assert(std::is_same<THREAD_FINI_CALLBACK, VOID (*)(THREADID, const CONTEXT *, INT32, VOID *)>::value, "");
static_assert(std::is_same<THREAD_ATTACH_CALLBACK, VOID (*)(THREADID, CONTEXT *, VOID *)>::value && std::is_same<THREAD_DETACH_CALLBACK, VOID (*)(THREADID, const CONTEXT *, VOID *)>::value, "");
static_assert(std::is_same<APPLICATION_START_CALLBACK, VOID (*)(VOID *)>::value && std::is_same<PREPARE_FOR_FINI_CALLBACK, VOID (*)(VOID *)>::value, "");
static_assert(std::is_same<DETACH_CALLBACK, VOID (*)(VOID *)>::value && std::is_same<ATTACH_CALLBACK, VOID (*)(VOID *)>::value, "");
static_assert(std::is_same<DETACH_PROBED_CALLBACK, VOID (*)(VOID *)>::value && std::is_same<ATTACH_PROBED_CALLBACK, VOID (*)(VOID *)>::value, "");
static_assert(std::is_same<REMOVE_INSTRUMENTATION_CALLBACK, VOID (*)(VOID *)>::value && std::is_same<THREAD_DETACH_PROBED_CALLBACK, VOID (*)(VOID *)>::value, "");
static_assert(std::is_same<THREAD_ATTACH_PROBED_CALLBACK, VOID (*)(VOID *, VOID *)>::value && std::is_same<PROBES_INSERTED_CALLBACK, VOID (*)(IMG, VOID *)>::value, "");
static_assert(std::is_same<FORK_CALLBACK, VOID (*)(THREADID, const CONTEXT *, VOID *)>::value && std::is_same<FORK_PROBE_MODE_CALLBACK, VOID (*)(UINT32, VOID *)>::value, "");
static_assert(std::is_same<FOLLOW_CHILD_PROCESS_CALLBACK, BOOL (*)(CHILD_PROCESS, VOID *)>::value && std::is_same<ROOT_THREAD_FUNC, VOID(VOID *)>::value && std::is_same<DESTRUCTFUN, VOID (*)(VOID *)>::value, "");
static_assert(std::is_same<SYSCALL_ENTRY_CALLBACK, VOID (*)(THREADID, CONTEXT *, SYSCALL_STANDARD, VOID *)>::value && std::is_same<SYSCALL_EXIT_CALLBACK, SYSCALL_ENTRY_CALLBACK>::value, "");
static_assert(std::is_same<CONTEXT_CHANGE_CALLBACK, VOID (*)(THREADID, CONTEXT_CHANGE_REASON, const CONTEXT *, CONTEXT *, INT32, VOID *)>::value, "");
static_assert(std::is_same<INTERCEPT_SIGNAL_CALLBACK, BOOL (*)(THREADID, INT32, CONTEXT *, BOOL, const EXCEPTION_INFO *, VOID *)>::value, "");
static_assert(std::is_same<SIGNAL_INTERCEPT_CALLBACK, BOOL (*)(THREADID, INT32, CONTEXT *, BOOL, VOID *)>::value, "");
static_assert(std::is_same<SIGNAL_BEFORE_CALLBACK, VOID (*)(THREADID, INT32, const CONTEXT *, const CONTEXT *, VOID *)>::value, "");
static_assert(std::is_same<SIGNAL_AFTER_CALLBACK, VOID (*)(THREADID, const CONTEXT *, const CONTEXT *, VOID *)>::value, "");
static_assert(std::is_same<INTERNAL_EXCEPTION_CALLBACK, EXCEPT_HANDLING_RESULT (*)(THREADID, EXCEPTION_INFO *, PHYSICAL_CONTEXT *, VOID *)>::value, "");
static_assert(std::is_same<FETCH_CALLBACK, size_t (*)(VOID *, ADDRINT, size_t, EXCEPTION_INFO *, VOID *)>::value && std::is_same<OUT_OF_MEMORY_CALLBACK, VOID (*)(size_t, VOID *)>::value, "");
static_assert(std::is_same<MEMORY_ADDR_TRANS_CALLBACK, ADDRINT (*)(PIN_MEM_TRANS_INFO *, VOID *)>::value, "");
static_assert(std::is_same<TRACE_BUFFER_CALLBACK, VOID *(*)(BUFFER_ID, THREADID, const CONTEXT *, VOID *, UINT64, VOID *)>::value, "");
static_assert(std::is_same<SMC_CALLBACK, VOID (*)(ADDRINT, ADDRINT, VOID *)>::value && std::is_same<TRACEGENCODE_CALLBACK, VOID (*)(TRACE, VOID *)>::value, "");
static_assert(std::is_same<CODECACHE_NOARG_CALLBACK, VOID (*)()>::value && std::is_same<CODECACHE_CACHEBLOCK_CALLBACK, VOID (*)(USIZE)>::value, "");
static_assert(std::is_same<CODECACHE_ENTEREXIT_CALLBACK, VOID (*)(ADDRINT)>::value && std::is_same<CODECACHE_FULL_CALLBACK, VOID (*)(USIZE, USIZE)>::value, "");
static_assert(std::is_same<CODECACHE_LINKED_CALLBACK, VOID (*)(ADDRINT, ADDRINT)>::value && std::is_same<CODECACHE_UNLINKED_CALLBACK, VOID (*)(ADDRINT, ADDRINT)>::value, "");
static_assert(std::is_same<CODECACHE_TRACEINVALIDATED_CALLBACK, VOID (*)(ADDRINT, ADDRINT, BOOL)>::value && std::is_same<XED_DECODE_CALLBACK, VOID (*)(xed_decoded_inst_t *)>::value, "");
static_assert(std::is_same<DEBUG_BREAKPOINT_CALLBACK, BOOL (*)(ADDRINT, UINT, BOOL, VOID *)>::value, "");
static_assert(std::is_same<INTERCEPT_DEBUGGING_EVENT_CALLBACK, BOOL (*)(THREADID, DEBUGGING_EVENT, CONTEXT *, VOID *)>::value, "");
static_assert(std::is_same<DEBUG_INTERPRETER_CALLBACK, BOOL (*)(THREADID, CONTEXT *, const std::string &, std::string *, VOID *)>::value, "");
static_assert(std::is_same<GET_EMULATED_REGISTER_CALLBACK, VOID (*)(UINT, THREADID, CONTEXT *, VOID *, VOID *)>::value, "");
static_assert(std::is_same<SET_EMULATED_REGISTER_CALLBACK, VOID (*)(UINT, THREADID, CONTEXT *, const VOID *, VOID *)>::value, "");
static_assert(std::is_same<GET_TARGET_DESCRIPTION_CALLBACK, USIZE (*)(const std::string &, USIZE, VOID *, VOID *)>::value, "");
static_assert(std::is_same<MESSAGE_CALLBACK, BOOL (*)(const std::string &, PIN_ERRTYPE, INT32, INT32, INT32, va_list)>::value, "");
static_assert(std::is_same<THREAD_BEGIN_CALLBACK, VOID (*)(THREADID, VOID *, INT, VOID *)>::value && std::is_same<THREAD_END_CALLBACK, VOID (*)(THREADID, INT32, VOID *)>::value, "");

int main(int argc, char **argv)
{
    begin(argc, argv);
    if (const char *how = option("end")) {
        if (__gcov_dump)
            MESSAGE_TYPE::RegisterTerminateCallBack(__gcov_dump);
        End(how);
    }
    Texts();
    Numbers();
    Ranges();
    Sets();
    Knobs();
    KnobValues();
    Exceptions();
    Messages();
    EQUAL(PIN_PRODUCT_VERSION_MAJOR, 3);
    TRUE_(PIN_PRODUCT_VERSION_MINOR >= 20 && PIN_BUILD_NUMBER >= 0 && std::string(PIN_COMMIT_HASH).size());
    std::fprintf(stderr, "inline: %s\n", checks_wrong || checks_done < 75 ? "wrong" : "right"); /* among the messages */
    if (__gcov_dump)
        __gcov_dump();
    std::exit(0); /* it wants no program */
}
