// SPDX-License-Identifier: Apache-2.0
// A tool with the types of IA-32 (linchpin cc -m32): what is 32 bits wide for it, in each place where the engine, which is 64-bit code, gives or takes an address. For tests/ia32/arguments.c; says
// on stderr what differs, and at the end how much was right.
#include "pin.H"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(TARGET_IA32) || defined(TARGET_IA32E) || !defined(HOST_IA32)
#error "the tool is not one for IA-32"
#endif
static_assert(sizeof(ADDRINT) == 4 && sizeof(ADDRDELTA) == 4, "addresses have 4 bytes");
static_assert(REG_GAX == REG_EAX && REG_STACK_PTR == REG_ESP && REG_INST_PTR == REG_EIP && REG_GFLAGS == REG_EFLAGS && REG_GR_LAST == REG_EAX, "registers");
static_assert(REGWIDTH_NATIVE == REGWIDTH_32, "registers");

static UINT32 good, bad;

static VOID Equal(const std::string &what, UINT64 got, UINT64 wanted)
{
    good += got == wanted;
    bad += got != wanted;
    if (got != wanted)
        std::cerr << "types: " << what << ": " << hexstr(got) << ", not " << hexstr(wanted) << std::endl;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */
static VOID Registers()
{
    Equal("eax", REG_StringShort(REG_EAX) == "eax" && REG_StringShort(REG_EIP) == "eip" && REG_StringShort(REG_EFLAGS) == "eflags", 1);
    Equal("its size", REG_Size(REG_EAX), 4);
    Equal("its width", REG_Width(REG_EDI), REGWIDTH_32);
    Equal("whole", REG_FullRegName(REG_AH), REG_EAX);
    Equal("gr", REG_is_gr(REG_EBX) && REG_is_gr32(REG_EBX) && !REG_is_gr64(REG_EBX) && !REG_is_partialreg(REG_EBX) && REG_is_gr16(REG_BX), 1);
    Equal("a tool's register", REG_Size(REG_INST_G0), 4);
}

/* --- arguments of analysis calls ---------------------------------------------------------------------------------- */
static const char text[] = "a text of the tool's";

static VOID Constants(ADDRINT high, ADDRINT minus, const char *pointer, const char *address, UINT64 wide, ADDRINT listed)
{
    Equal("constant", high, 0xfedcba98);
    Equal("negative", minus, 0xffffffff);
    Equal("IARG_PTR", pointer == text, 1);
    Equal("IARG_ADDRINT of a pointer", address == text, 1);
    Equal("IARG_UINT64", wide, 0x123456789abcdef0);
    Equal("in a list", listed, 0x89abcdef);
}

static VOID SumOf(ADDRINT ip, ADDRINT esp, UINT32 a, ADDRINT b, const ADDRINT *c, ADDRINT caller, const CONTEXT *context, const PIN_REGISTER *by_reference)
{
    ADDRINT word[4] = {0, 0, 0, 0};
    UINT8 bytes[8];
    memset(bytes, 0xee, sizeof bytes);
    Equal("from the stack", PIN_SafeCopy(word, Addrint2VoidStar(esp), sizeof word), sizeof word);
    Equal("return address", word[0], caller);
    Equal("first", a, word[1]);
    Equal("second", b, 2);
    Equal("third", *c, 3);
    Equal("context", PIN_GetContextReg(context, REG_ESP), esp);
    Equal("eip", PIN_GetContextReg(context, REG_EIP), ip);
    PIN_GetContextRegval(context, REG_ESP, bytes);
    Equal("four bytes of it", memcmp(bytes, &esp, 4) == 0 && bytes[4] == 0xee, 1);
    Equal("reference", by_reference->dword[0], esp);
    Equal("symbol", RTN_Address(RTN_FindByAddress(ip)), ip);
}

static VOID Change(ADDRINT *first) { *first = 42; }

/* The upper half of the register is anything after a function that returns 4 bytes. */
__asm__("dirty_zero: movabs $0x500000000, %rax; ret\n"
        "dirty_nine: movabs $0x500000009, %rax; ret\n");
extern "C" ADDRINT dirty_zero() __attribute__((visibility("hidden")));
extern "C" ADDRINT dirty_nine() __attribute__((visibility("hidden")));
static UINT32 never, once;
static VOID Never() { never++; }
static VOID Once() { once++; }
static VOID Nine(ADDRINT eax, ADDRINT own)
{
    Equal("IARG_RETURN_REGS", eax, 9);
    Equal("into a tool's register", own, 9);
}

static VOID Read(ADDRINT address, UINT32 size)
{
    UINT32 there = 0;
    if (size == 4 && PIN_SafeCopy(&there, Addrint2VoidStar(address), 4) == 4 && there == 0xfedcba98)
        Equal("read", address & 3, 0);
}

static VOID Function(IMG img, const char *name, VOID (*insert)(RTN))
{
    RTN rtn = RTN_FindByName(img, name);
    if (!RTN_Valid(rtn))
        return;
    RTN_Open(rtn);
    insert(rtn);
    RTN_Close(rtn);
}

static VOID InsertSum(RTN rtn)
{
    IARGLIST list = IARGLIST_Alloc();
    IARGLIST_AddArguments(list, IARG_ADDRINT, static_cast<ADDRINT>(0x1289abcdefull), IARG_END);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(SumOf), IARG_INST_PTR, IARG_REG_VALUE, REG_ESP, IARG_FUNCARG_ENTRYPOINT_VALUE, 0, IARG_FUNCARG_ENTRYPOINT_VALUE, 1,
                   IARG_FUNCARG_ENTRYPOINT_REFERENCE, 2, IARG_RETURN_IP, IARG_CONST_CONTEXT, IARG_REG_CONST_REFERENCE, REG_ESP, IARG_END);
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Constants), IARG_ADDRINT, static_cast<ADDRINT>(0xfedcba98), IARG_ADDRINT, static_cast<ADDRINT>(-1), IARG_PTR, text, IARG_ADDRINT, text,
                   IARG_UINT64, static_cast<UINT64>(0x123456789abcdef0), IARG_IARGLIST, list, IARG_END);
    IARGLIST_Free(list);
}

static VOID InsertChanged(RTN rtn)
{
    RTN_InsertCall(rtn, IPOINT_BEFORE, AFUNPTR(Change), IARG_FUNCARG_ENTRYPOINT_REFERENCE, 0, IARG_END);
    INS first = RTN_InsHead(rtn);
    INS_InsertIfCall(first, IPOINT_BEFORE, AFUNPTR(dirty_zero), IARG_END);
    INS_InsertThenCall(first, IPOINT_BEFORE, AFUNPTR(Never), IARG_END);
    INS_InsertIfCall(first, IPOINT_BEFORE, AFUNPTR(dirty_nine), IARG_END);
    INS_InsertThenCall(first, IPOINT_BEFORE, AFUNPTR(Once), IARG_END);
}

static REG own;

static VOID InsertFixed(RTN rtn)
{
    INS last = RTN_InsTail(rtn);
    INS_InsertCall(last, IPOINT_BEFORE, AFUNPTR(dirty_nine), IARG_RETURN_REGS, REG_EAX, IARG_END);
    INS_InsertCall(last, IPOINT_BEFORE, AFUNPTR(dirty_nine), IARG_RETURN_REGS, own, IARG_END);
    INS_InsertCall(last, IPOINT_BEFORE, AFUNPTR(Nine), IARG_REG_VALUE, REG_EAX, IARG_REG_VALUE, own, IARG_END);
}

static VOID Image(IMG img, VOID *)
{
    Equal("image", IMG_LowAddress(img) < IMG_HighAddress(img), 1);
    if (!IMG_IsMainExecutable(img))
        return;
    Function(img, "sum_of", InsertSum);
    Function(img, "changed", InsertChanged);
    Function(img, "fixed", InsertFixed);
}

/* --- trace buffers ------------------------------------------------------------------------------------------------ */
struct RECORD {
    ADDRINT ip, ea;
    UINT32 size;
    ADDRINT esp;
    UINT64 mark;
};
static_assert(sizeof(RECORD) == 24, "an address has 4 bytes in a record, too");
static BUFFER_ID buffer;
static UINT64 records, wrong;

static VOID *Full(BUFFER_ID, THREADID, const CONTEXT *, VOID *start, UINT64 n, VOID *)
{
    const RECORD *r = static_cast<RECORD *>(start);
    records += n;
    for (UINT64 i = 0; i < n; i++)
        wrong += r[i].mark != 0xaaaabbbbccccddddull || !r[i].ip || !r[i].ea || !r[i].size || !r[i].esp;
    return start;
}

static VOID Instruction(INS ins, VOID *)
{
    if (!INS_IsMemoryRead(ins) || !INS_IsStandardMemop(ins))
        return;
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Read), IARG_MEMORYREAD_EA, IARG_MEMORYREAD_SIZE, IARG_END);
    INS_InsertFillBuffer(ins, IPOINT_BEFORE, buffer, IARG_INST_PTR, offsetof(RECORD, ip), IARG_MEMORYREAD_EA, offsetof(RECORD, ea), IARG_MEMORYREAD_SIZE, offsetof(RECORD, size),
                         IARG_REG_VALUE, REG_ESP, offsetof(RECORD, esp), IARG_UINT64, static_cast<UINT64>(0xaaaabbbbccccddddull), offsetof(RECORD, mark), IARG_END);
}

/* --- system calls ------------------------------------------------------------------------------------------------- */
static UINT32 writes;

static VOID Entry(THREADID, CONTEXT *context, SYSCALL_STANDARD standard, VOID *)
{
    char start[4] = "";
    if (PIN_GetSyscallNumber(context, standard) != SYS_write || PIN_GetSyscallArgument(context, standard, 2) != 8)
        return;
    Equal("standard", standard, SYSCALL_STANDARD_IA32_LINUX);
    Equal("buffer", PIN_SafeCopy(start, Addrint2VoidStar(PIN_GetSyscallArgument(context, standard, 1)), 3), 3);
    writes += strcmp(start, "wri") == 0;
}

static VOID OwnCalls()
{
    static_assert(SYS_write == 4 && SYS_brk == 45 && SYS_mmap2 == 192, "the program's numbers");
    Equal("getpid", syscall(SYS_getpid), getpid());
    errno = 0;
    Equal("a call that 64-bit code does not have", syscall(SYS_mmap2, 0, 4096, 0, 0, -1, 0) == -1 && errno == ENOSYS, 1);
}

static VOID Fini(INT32, VOID *)
{
    Equal("If routines", never, 0);
    Equal("If routines", once, 1);
    Equal("writes", writes, 1);
    Equal("records", records > 100 && !wrong, 1);
    std::cerr << "types: " << good << " good, " << bad << " bad" << std::endl;
}

int main(int argc, char *argv[])
{
    PIN_InitSymbols();
    if (PIN_Init(argc, argv))
        return 1;
    Registers();
    OwnCalls();
    own = PIN_ClaimToolRegister();
    buffer = PIN_DefineTraceBuffer(sizeof(RECORD), 4, Full, 0);
    IMG_AddInstrumentFunction(Image, 0);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddSyscallEntryFunction(Entry, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
