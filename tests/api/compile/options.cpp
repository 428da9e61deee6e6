/* SPDX-License-Identifier: Apache-2.0
 * Knobs, messages, texts, sets, namespaces. Also run: tests/api/compile/run checks what it prints. */
#include "pin.H"

#include <iostream>

static KNOB<std::string> KnobText(KNOB_MODE_WRITEONCE, "pintool", "o", "out.txt", "a file");
static KNOB<BOOL> KnobFlag(KNOB_MODE_WRITEONCE, "pintool", "flag", "0", "a flag");
static KNOB<BOOL> KnobOn(KNOB_MODE_WRITEONCE, "pintool", "on", "1", "a flag that is on");
static KNOB<UINT32> KnobSum(KNOB_MODE_ACCUMULATE, "pintool", "sum", "7", "adds up");
static KNOB<INT32> KnobLast(KNOB_MODE_OVERWRITE, "pintool", "last", "-1", "the last one counts");
static KNOB<std::string> KnobList(KNOB_MODE_APPEND, "pintool", "list", "", "several");
static KNOB<FLT64> KnobRate(KNOB_MODE_WRITEONCE, "pintool", "rate", "0.5", "a rate");
static KNOB<UINT64> KnobAddress(KNOB_MODE_WRITEONCE, "pintool", "address", "0x10", "an address");
static KNOB<ADDRESS_RANGE> KnobRange(KNOB_MODE_WRITEONCE, "pintool", "range", "1:2", "a range");
static KNOB<std::string> KnobPrefixed(KNOB_MODE_WRITEONCE, "pintool:x", "name", "n", "with a prefix", "x:");
static KNOB_COMMENT comment("pintool", "These are the options:");

static VOID Print()
{
    std::cout << "o=" << KnobText.Value() << " flag=" << KnobFlag << " on=" << KnobOn.Value() << " sum=" << KnobSum << " last=" << KnobLast.Value() << " rate=" << KnobRate.Value()
              << " address=" << hexstr(KnobAddress.Value()) << " range=" << KnobRange.Value().String() << " name=" << KnobPrefixed.Value() << " list=";
    for (UINT32 i = 0; i < KnobList.NumberOfValues(); i++)
        std::cout << KnobList.Value(i) << "(" << KnobList.ValueString(i) << ")";
    std::cout << std::endl;
}

static VOID Texts()
{
    std::cout << decstr(UINT64(5)) << decstr(INT32(-5)) << decstr(42u, 5) << " " << hexstr(255u) << " " << hexstr(UINT64(255), 8) << " " << ljstr("a", 3) << "| " << fltstr(1.5, 2, 6) << " "
              << StringBignum(1234567) << " " << StringFromUint64(16) << " " << StringBool(TRUE) << " " << Uint64FromString("0x20") << " " << Int32FromString("-3") << " " << hexstr(&comment).substr(0, 2)
              << std::endl;
    std::string token[3];
    std::cout << Tokenize(" a  b c d", token, 3) << token[0] << token[2] << " " << Joinpath("a", "b") << " " << RoundUp(5, 4) << RoundDown(5, 4) << " " << KILO << " " << MAX(1, 2) << std::endl;
}

static VOID Sets()
{
    REGSET s;
    REGSET_Clear(s);
    REGSET_Insert(s, REG_RAX);
    REGSET_Insert(s, REG_XMM3);
    std::cout << REGSET_PopCount(s) << REGSET_Contains(s, REG_RAX) << REGSET_Contains(s, REG_RBX);
    REG first = REGSET_PopNext(s), second = REGSET_PopNext(s), none = REGSET_PopNext(s);
    std::cout << (first == REG_RAX) << (second == REG_XMM3) << (none == REG_INVALID_) << REGSET_PopCountIsZero(s);
    REGSET_AddAll(s);
    s.Remove(REG_RAX);
    REGSET all(REG_FIRST, REG_LAST - 1);
    std::cout << (all.PopCount() - s.PopCount()) << ((all - s).Min() == REG_RAX) << (sizeof(REGSET) == 8 * LP_REGSET_WORDS);
    UINT32 n = 0;
    for (REG r = REG_GR_BASE; r <= REG_GR_LAST; r++)
        n++;
    std::cout << " " << n << std::endl;
}

int main(int argc, char *argv[])
{
    if (PIN_Init(argc, argv)) {
        std::cout << KNOB_BASE::StringKnobSummary();
        return 1;
    }
    Print();
    Texts();
    Sets();
    LEVEL_PINCLIENT::INS ins;
    LEVEL_BASE::REG reg = LEVEL_CORE::REG_RAX;
    LEVEL_VM::THREADID tid = LEVEL_PINCLIENT::INVALID_THREADID;
    std::cout << ins.is_valid() << (reg == REG_RAX) << (tid == INVALID_THREADID) << PIN_MAX_THREADS << sizeof(INS) << sizeof(CONTEXT) << std::endl;
    LOG("logged " + decstr(1) + "\n");
    ASSERT(argc > 0, "no arguments\n");
    ASSERTX(KNOB_BASE::NumberOfKnobs() > 10);
    WARNING("a warning\n");
    return 0;
}
