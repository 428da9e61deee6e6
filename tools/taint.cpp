// SPDX-License-Identifier: Apache-2.0
// taint: where the bytes of the input go: which branches and jumps depend on which of them, and which bytes of the output come from which.
//
// Every byte of memory and of the registers has a label: a set of input bytes. A move copies the labels byte by byte; any other instruction gives all that it writes the union of the labels of all that it reads. Registers that only
// make up an address do not count, unless -addresses: then what is looked up in a table depends on the index, too. What a branch decides does not depend on it (no implicit flows), but the branch is reported.
#include "region.h"

#include <deque>
#include <map>
#include <set>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unordered_map>

#include "syscalls.h"

static KNOB<INT32> KnobFd(KNOB_MODE_WRITEONCE, "pintool", "fd", "0", "the descriptor whose bytes are watched (-1: none)");
static KNOB<BOOL> KnobArgv(KNOB_MODE_WRITEONCE, "pintool", "argv", "0", "watch the bytes of the arguments, too");
static KNOB<BOOL> KnobAddresses(KNOB_MODE_WRITEONCE, "pintool", "addresses", "0", "what is read depends on the address");
static KNOB<BOOL> KnobBytes(KNOB_MODE_WRITEONCE, "pintool", "bytes", "0", "print each byte that is written and where it comes from");

// --- labels: numbers of sets; 0 is the empty one ----------------------------------------------------------------------------------
typedef UINT32 Label;
typedef std::vector<UINT32> Set; // of numbers of origins, sorted
static std::vector<Set> sets(1);
static std::map<Set, Label> label_of;
static std::map<std::pair<Label, Label>, Label> unions;
static std::vector<std::string> origins;
static ADDRINT has_input; // until then there are no labels

static Label LabelOf(const Set &set)
{
    Label &l = label_of[set];
    if (!l && !set.empty()) {
        l = Label(sets.size());
        sets.push_back(set);
    }
    return l;
}
static Label NewOrigin(const std::string &name)
{
    origins.push_back(name);
    has_input = 1;
    return LabelOf(Set(1, UINT32(origins.size() - 1)));
}
static Label Union(Label a, Label b)
{
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    Label &l = unions[std::make_pair(std::min(a, b), std::max(a, b))];
    if (!l) {
        Set set;
        std::set_union(sets[a].begin(), sets[a].end(), sets[b].begin(), sets[b].end(), std::back_inserter(set));
        l = LabelOf(set);
    }
    return l;
}
static std::string Names(Label l)
{
    std::string text;
    for (size_t i = 0; i < sets[l].size(); i++)
        text += " " + origins[sets[l][i]];
    return text;
}

// --- where the labels are ---------------------------------------------------------------------------------------------------------
enum { PAGE = 4096, WIDEST = 64 };
static std::unordered_map<ADDRINT, Label *> pages;
static std::vector<Label> registers[PIN_MAX_THREADS]; // WIDEST for each register
static PIN_LOCK lock;                                 // of all labels

static Label *Memory(ADDRINT address, BOOL make)
{
    Label *&page = pages[address / PAGE];
    if (!page && make)
        page = new Label[PAGE]();
    return page ? page + address % PAGE : 0;
}
static Label Get(ADDRINT address)
{
    Label *l = Memory(address, FALSE);
    return l ? *l : 0;
}
static VOID Put(ADDRINT address, Label label)
{
    Label *l = Memory(address, label != 0);
    if (l)
        *l = label;
}

// A register's part: whose, from which byte, how many.
struct Part {
    size_t at;
    UINT32 bytes;
    BOOL clears; // the bytes above it become 0
};
static Part PartOf(REG reg)
{
    Part p = {size_t(REG_FullRegName(reg)) * WIDEST + (REG_is_Upper8(reg) ? 1 : 0), REG_is_any_flags_type(reg) ? 1 : std::min(UINT32(WIDEST), REG_Size(reg)), REG_is_gr32(reg) || REG_is_Half32(reg)};
    return p;
}

// --- instructions -----------------------------------------------------------------------------------------------------------------
struct Op {
    std::vector<Part> read, written;
    BOOL copies;      // one value to one place, byte by byte
    BOOL sign;        // what is above it is its sign
    BOOL reads_memory, writes_memory, clears;
    UINT32 read_bytes, written_bytes;
    INT32 sink; // 1: a conditional branch, 2: a jump to what is read
};
typedef std::map<std::pair<ADDRINT, INT32>, Label> Sinks;
static Sinks sinks; // by place and kind

static VOID Copy(const Op *op, Label *regs, ADDRINT from, ADDRINT to)
{
    Label value[WIDEST] = {0};
    UINT32 n = op->reads_memory ? op->read_bytes : op->read.empty() ? 0 : op->read[0].bytes;
    for (UINT32 i = 0; i < n && i < WIDEST; i++)
        value[i] = op->reads_memory ? Get(from + i) : regs[op->read[0].at + i];
    for (UINT32 i = n; op->sign && n && i < WIDEST; i++)
        value[i] = value[n - 1];
    for (UINT32 i = 0; op->writes_memory && i < op->written_bytes; i++)
        Put(to + i, i < WIDEST ? value[i] : 0);
    if (!op->written.empty()) {
        const Part &p = op->written[0];
        std::copy(value, value + p.bytes, regs + p.at);
        if (p.clears)
            std::fill(regs + p.at + p.bytes, regs + p.at + 8, 0);
    }
}

static VOID Mix(const Op *op, Label *regs, ADDRINT from, ADDRINT to, ADDRINT pc)
{
    Label all = 0;
    for (size_t r = 0; r < op->read.size() && !op->clears; r++)
        for (UINT32 i = 0; i < op->read[r].bytes; i++)
            all = Union(all, regs[op->read[r].at + i]);
    for (UINT32 i = 0; op->reads_memory && i < op->read_bytes; i++)
        all = Union(all, Get(from + i));
    for (size_t w = 0; w < op->written.size(); w++) {
        const Part &p = op->written[w];
        std::fill(regs + p.at, regs + p.at + p.bytes, all);
        if (p.clears)
            std::fill(regs + p.at + p.bytes, regs + p.at + 8, 0);
    }
    for (UINT32 i = 0; op->writes_memory && i < op->written_bytes; i++)
        Put(to + i, all);
    if (op->sink && all)
        sinks[std::make_pair(pc, op->sink)] = Union(sinks[std::make_pair(pc, op->sink)], all);
}

static ADDRINT HasInput() { return has_input; }
static VOID Execute(const Op *op, THREADID tid, ADDRINT pc, ADDRINT from, ADDRINT to)
{
    Locked locked(&lock);
    if (op->copies)
        Copy(op, &registers[tid][0], from, to);
    else
        Mix(op, &registers[tid][0], from, to, pc);
}

static BOOL IsIn(const char *const *list, const std::string &name)
{
    while (*list && name != *list)
        list++;
    return *list != 0;
}

static BOOL IsCopy(INS ins)
{
    static const char *const list[] = {"MOV", "MOVZX", "MOVSX", "MOVSXD", "MOVD", "MOVQ", "MOVDQA", "MOVDQU", "MOVAPS", "MOVUPS", "MOVAPD", "MOVUPD", "VMOVD", "VMOVQ", "VMOVDQA", "VMOVDQU", "VMOVAPS", "VMOVUPS", "LDDQU",
        "PUSH", "POP", "MOVSB", "MOVSW", "MOVSD", "MOVSQ", "STOSB", "STOSW", "STOSD", "STOSQ", "LODSB", "LODSW", "LODSD", "LODSQ", "REP_MOVSB", "REP_MOVSW", "REP_MOVSD", "REP_MOVSQ", "REP_STOSB", "REP_STOSW", "REP_STOSD", "REP_STOSQ", 0};
    return IsIn(list, INS_Mnemonic(ins));
}

// xor, sub and their kin of a register with itself.
static BOOL IsClear(INS ins)
{
    static const char *const list[] = {"XOR", "SUB", "PXOR", "VPXOR", "XORPS", "VXORPS", "XORPD", "PSUBB", "PSUBD", "PCMPEQB", "PCMPEQD", "VPCMPEQB", "VPCMPEQD", 0};
    UINT32 n = INS_OperandCount(ins) >= 3 && INS_OperandIsReg(ins, 2) && !REG_is_any_flags_type(INS_OperandReg(ins, 2)) ? 2 : 1, first = n - 1;
    return IsIn(list, INS_Mnemonic(ins)) && INS_OperandIsReg(ins, first) && INS_OperandIsReg(ins, n) && INS_OperandReg(ins, first) == INS_OperandReg(ins, n);
}

static BOOL IsAddress(INS ins, REG reg)
{
    for (UINT32 i = 0; i < INS_OperandCount(ins); i++)
        if (INS_OperandIsMemory(ins, i) && (INS_OperandMemoryBaseReg(ins, i) == reg || INS_OperandMemoryIndexReg(ins, i) == reg))
            return TRUE;
    return FALSE;
}
// A register that is a value, too, as in mov [rax], rax.
static BOOL IsOperand(INS ins, REG reg)
{
    for (UINT32 i = 0; i < INS_OperandCount(ins); i++)
        if (INS_OperandIsReg(ins, i) && INS_OperandReg(ins, i) == reg && INS_OperandRead(ins, i))
            return TRUE;
    return FALSE;
}
static BOOL IsMachine(REG reg) { return REG_FullRegName(reg) == REG_STACK_PTR || reg == REG_INST_PTR || REG_is_seg(reg) || REG_is_mxcsr(reg) || !REG_valid(reg); }

static Op *Describe(INS ins)
{
    Op *op = new Op();
    op->copies = IsCopy(ins) && !(KnobAddresses && INS_IsMemoryRead(ins));
    op->clears = IsClear(ins);
    op->sign = INS_Mnemonic(ins).compare(0, 4, "MOVS") == 0 && INS_Mnemonic(ins).size() > 4 && (INS_Mnemonic(ins)[4] == 'X');
    op->reads_memory = INS_IsMemoryRead(ins);
    op->writes_memory = INS_IsMemoryWrite(ins);
    op->read_bytes = op->reads_memory ? UINT32(INS_MemoryReadSize(ins)) : 0;
    op->written_bytes = op->writes_memory ? UINT32(INS_MemoryWriteSize(ins)) : 0;
    BOOL select = INS_Category(ins) == XED_CATEGORY_CMOV;
    BOOL is_string = INS_IsStringop(ins);
    for (UINT32 i = 0; i < INS_MaxNumRRegs(ins); i++) {
        REG reg = INS_RegR(ins, i);
        BOOL flags = REG_is_any_flags_type(reg);
        BOOL address = IsAddress(ins, reg) && !IsOperand(ins, reg) && INS_Opcode(ins) != XED_ICLASS_LEA && !(KnobAddresses && op->reads_memory);
        BOOL counter = is_string && !REG_is_any_vector_reg(reg) && REG_FullRegName(reg) != REG_GAX; // rcx, rsi, rdi and the direction
        if (!IsMachine(reg) && !address && !(flags && select) && !counter)
            op->read.push_back(PartOf(reg));
    }
    for (UINT32 i = 0; i < INS_MaxNumWRegs(ins); i++) {
        REG reg = INS_RegW(ins, i);
        if (!IsMachine(reg) && !(is_string && REG_FullRegName(reg) != REG_GAX && !REG_is_any_flags_type(reg)))
            op->written.push_back(PartOf(reg));
    }
    op->copies = op->copies && op->read.size() + op->reads_memory <= 1 && op->written.size() + op->writes_memory == 1;
    if (INS_IsControlFlow(ins)) {
        op->sink = INS_IsIndirectControlFlow(ins) && !INS_IsRet(ins) ? 2 : INS_HasFallThrough(ins) && INS_IsBranch(ins) ? 1 : 0;
        op->written.clear();
        if (INS_IsCall(ins)) // the return address; where it jumps to is read
            op->written_bytes = 0;
    }
    return op;
}

static VOID Instruction(INS ins, VOID *)
{
    if (INS_MemoryOperandCount(ins) && !INS_IsStandardMemop(ins))
        return; // gather, scatter, xsave
    Op *op = Describe(ins);
    if (op->written.empty() && !op->writes_memory && !op->sink)
        delete op;
    else {
        INS_InsertIfPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(HasInput), IARG_END);
        INS_InsertThenPredicatedCall(ins, IPOINT_BEFORE, AFUNPTR(Execute), IARG_PTR, op, IARG_THREAD_ID, IARG_INST_PTR, op->reads_memory ? IARG_MEMORYREAD_EA : IARG_INST_PTR,
            op->writes_memory ? IARG_MEMORYWRITE_EA : IARG_INST_PTR, IARG_END);
    }
}

// --- input and output -------------------------------------------------------------------------------------------------------------
typedef std::vector<Label> Labels; // of data in their order
static UINT64 input_bytes, output_bytes[1024], from_input[1024];

// What is in a pipe between this process and itself has its labels there.
typedef std::deque<Label> Pipe;
static std::map<ino_t, Pipe> pipes;

static Pipe *PipeOf(INT32 fd)
{
    struct stat st;
    return has_input && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) ? &pipes[st.st_ino] : 0;
}
// After a write: what the kernel has in the pipe ends with what was written; others may have read some of it, or have written before.
static VOID Adjust(Pipe &pipe, INT32 fd)
{
    INT32 bytes = 0;
    if (ioctl(fd, FIONREAD, &bytes) != 0)
        return;
    while (pipe.size() > size_t(bytes))
        pipe.pop_front();
    while (pipe.size() < size_t(bytes))
        pipe.push_front(0);
}

static Labels Taken(INT32 fd, UINT64 bytes, BOOL stays)
{
    Labels labels(bytes);
    if (fd == KnobFd) {
        for (UINT64 i = 0; i < bytes; i++)
            labels[i] = NewOrigin("input+" + decstr(input_bytes + i));
        input_bytes += bytes;
    } else if (Pipe *pipe = PipeOf(fd)) {
        const size_t n = std::min(size_t(bytes), pipe->size());
        std::copy(pipe->begin(), pipe->begin() + long(n), labels.begin());
        if (!stays)
            pipe->erase(pipe->begin(), pipe->begin() + long(n));
    }
    return labels;
}
static VOID Given(INT32 fd, const Labels &labels)
{
    for (size_t i = 0; i < labels.size() && UINT32(fd) < 1024; i++, output_bytes[fd]++) {
        from_input[fd] += labels[i] != 0;
        if (KnobBytes)
            fprintf(out, "output %d+%lu:%s\n", fd, output_bytes[fd], Names(labels[i]).c_str());
    }
    if (Pipe *pipe = PipeOf(fd)) {
        pipe->insert(pipe->end(), labels.begin(), labels.end());
        Adjust(*pipe, fd);
    }
}

static UINT64 Sum(const Pieces &pieces)
{
    UINT64 all = 0;
    for (size_t i = 0; i < pieces.size(); i++)
        all += pieces[i].bytes;
    return all;
}
// Without labels: what the kernel writes of its own.
static VOID PutAll(const Pieces &pieces, const Labels &labels)
{
    size_t at = 0;
    for (size_t i = 0; i < pieces.size(); i++)
        for (UINT64 k = 0; k < pieces[i].bytes; k++)
            Put(pieces[i].address + k, labels.empty() ? 0 : labels[at++]);
}
static Labels GetAll(const Pieces &pieces)
{
    Labels labels;
    for (size_t i = 0; i < pieces.size(); i++)
        for (UINT64 k = 0; k < pieces[i].bytes; k++)
            labels.push_back(Get(pieces[i].address + k));
    return labels;
}

// --- system calls -----------------------------------------------------------------------------------------------------------------
static struct Call {
    const Syscall *call; // 0: unknown
    ADDRINT values[SYSCALL_ARGS];
} calls[PIN_MAX_THREADS];

// The descriptor that is a call's source, or sink; -1: it has none.
static INT32 Descriptor(const Call &c, UINT32 kind)
{
    for (UINT32 i = 0; i < c.call->args; i++)
        if (c.call->arg[i].kind == kind)
            return INT32(c.values[i]);
    return -1;
}
static BOOL IsData(const SyscallArg &arg)
{
    return arg.flags & SYSCALL_RESULT && (arg.kind == SYSCALL_BYTES || arg.kind == SYSCALL_IOVEC || arg.kind == SYSCALL_MSGHDR || arg.kind == SYSCALL_MMSGHDR);
}

// What one pointer has led to. Memory that is read and written by the kernel keeps its labels, unless data are in it.
static VOID Follow(const Call &c, UINT32 i, INT64 result)
{
    const SyscallArg &arg = c.call->arg[i];
    const INT32 source = Descriptor(c, SYSCALL_SOURCE), sink = Descriptor(c, SYSCALL_SINK);
    const BOOL data = IsData(arg);
    if (data && sink >= 0 && arg.way & SYSCALL_IN)
        Given(sink, GetAll(MemoryOf(*c.call, i, c.values, result)));
    else if (data && source >= 0 && arg.way & SYSCALL_OUT) {
        const Pieces pieces = MemoryOf(*c.call, i, c.values, result);
        PutAll(pieces, Taken(source, Sum(pieces), FALSE));
    } else if (arg.way == SYSCALL_OUT && arg.kind != SYSCALL_ANY)
        PutAll(MemoryOf(*c.call, i, c.values, result), Labels());
}

static VOID SyscallEntry(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    Call &c = calls[tid];
    c.call = SyscallOf(PIN_GetSyscallNumber(ctxt, std), std);
    for (UINT32 i = 0; i < SYSCALL_ARGS; i++)
        c.values[i] = PIN_GetSyscallArgument(ctxt, std, i);
}
static VOID SyscallExit(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std, VOID *)
{
    const BOOL failed = PIN_GetSyscallErrno(ctxt, std) != 0;
    const INT64 result = failed ? 0 : INT64(PIN_GetSyscallReturn(ctxt, std));
    const Call &c = calls[tid];
    Locked locked(&lock);
    std::fill_n(registers[tid].begin() + long(size_t(REG_GAX) * WIDEST), 8, 0);
    if (!c.call)
        return;
    for (UINT32 i = 0; i < c.call->args; i++)
        if (!failed || c.call->arg[i].flags & SYSCALL_FAILURE)
            Follow(c, i, result);
    const INT32 source = Descriptor(c, SYSCALL_SOURCE), sink = Descriptor(c, SYSCALL_SINK);
    if (source >= 0 && sink >= 0 && result > 0) // from one to the other, past the memory
        Given(sink, Taken(source, UINT64(result), std::string(c.call->name) == "tee"));
}

static VOID ThreadStart(THREADID tid, CONTEXT *ctxt, INT32, VOID *)
{
    registers[tid].assign(size_t(REG_LAST) * WIDEST, 0);
    if (tid || !KnobArgv)
        return;
    Locked locked(&lock);
    ADDRINT *stack = reinterpret_cast<ADDRINT *>(PIN_GetContextReg(ctxt, REG_STACK_PTR)); // argc, argv
    for (ADDRINT i = 1; i < stack[0]; i++)
        for (size_t k = 0; k < strlen(reinterpret_cast<char *>(stack[1 + i])); k++)
            Put(stack[1 + i] + k, NewOrigin("argv[" + decstr(i) + "]+" + decstr(k)));
}

// --- results ----------------------------------------------------------------------------------------------------------------------
static VOID Fini(INT32, VOID *)
{
    PIN_LockClient();
    for (Sinks::iterator i = sinks.begin(); i != sinks.end(); ++i)
        fprintf(out, "%s at 0x%lx, %s:%s\n", i->first.second == 1 ? "branch" : "jump", i->first.first, tool_place(i->first.first).c_str(), Names(i->second).c_str());
    PIN_UnlockClient();
    for (int fd = 0; fd < 1024; fd++)
        if (output_bytes[fd])
            fprintf(out, "output %d: %lu of %lu bytes come from the input\n", fd, from_input[fd], output_bytes[fd]);
    fprintf(out, "input: %zu bytes\n", origins.size());
    fflush(out);
}

// The child of a fork tells its own; what is from the input is so in the child, too.
static VOID InChild()
{
    sinks.clear();
    memset(output_bytes, 0, sizeof output_bytes);
    memset(from_input, 0, sizeof from_input);
}

int main(int argc, char **argv)
{
    PIN_InitSymbols();
    static const ToolRefused refused[] = {{"by format top stack", "its lines are of bytes of the input and of the output"}, {"main image routine tid " TOOL_CONTROL, "bytes go through all code, and would be lost on the way"}, {NULL, NULL}};
    tool_refuses(refused);
    tool_start(argc, argv, "taint: where the bytes of the input go");
    region_start();
    tool_init_lock(&lock);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddThreadStartFunction(ThreadStart, 0);
    PIN_AddSyscallEntryFunction(SyscallEntry, 0);
    PIN_AddSyscallExitFunction(SyscallExit, 0);
    tool_fini(Fini, TRUE, InChild);
    PIN_StartProgram();
}
