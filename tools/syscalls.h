// SPDX-License-Identifier: Apache-2.0
// The system calls of Linux as tools see them: names, arguments, and the memory that they lead to. From the engine's own table (src/os/linux/syscalls.tsv); a call by int $0x80 is one of i386.
#ifndef SYSCALLS_H
#define SYSCALLS_H
#include "os/linux/syscall_info.h"

#include <algorithm>
#include <vector>

enum { SYSCALL_ARGS = 6 };

struct SyscallArg {
    const char *name, *type; // type: of what a pointer leads to
    UINT8 kind, way, extent, count, flags;
    UINT16 bytes;
};
struct Syscall {
    ADDRINT number;
    const char *name;
    UINT8 result;
    UINT32 args;
    SyscallArg arg[SYSCALL_ARGS];
};

#define ARG(name, kind, way, extent, count, flags, bytes, type) {#name, type, UINT8(kind), UINT8(way), UINT8(extent), UINT8(count), UINT8(flags), UINT16(bytes)}
#define SYSCALL(nr, name, classes, handler, result, args, ...) {nr, #name, UINT8(result), args, {__VA_ARGS__}},
static const Syscall syscalls_x86_64[] = {
#include "x86_64/syscalls.h"
};
static const Syscall syscalls_i386[] = {
#include "i386/syscalls.h"
};
#undef SYSCALL
#undef ARG

static inline bool SyscallBefore(const Syscall &call, ADDRINT number) { return call.number < number; }

// 0: there is none.
static inline const Syscall *SyscallOf(ADDRINT number, SYSCALL_STANDARD std)
{
    const bool native = std != SYSCALL_STANDARD_IA32_LINUX;
    const Syscall *from = native ? syscalls_x86_64 : syscalls_i386;
    const Syscall *to = from + (native ? sizeof syscalls_x86_64 : sizeof syscalls_i386) / sizeof *from;
    const Syscall *found = std::lower_bound(from, to, number, SyscallBefore);
    return found != to && found->number == number ? found : 0;
}

static inline BOOL SyscallIsPointer(const SyscallArg &arg) { return arg.way != 0; }

// --- memory -----------------------------------------------------------------------------------------------------------------------
struct Piece {
    ADDRINT address;
    UINT64 bytes;
};
typedef std::vector<Piece> Pieces;

// A number of the program's memory, 0 if it cannot be read.
static inline UINT64 PeekNumber(ADDRINT address, UINT32 bytes)
{
    UINT64 value = 0;
    return PIN_SafeCopy(&value, Addrint2VoidStar(address), bytes) == bytes ? value : 0;
}

enum { VECTORS_MAX = 1024 };

// An iovec is two words.
static inline VOID AddVectors(Pieces &pieces, ADDRINT vectors, UINT64 n, UINT32 word)
{
    for (UINT64 i = 0; i < n && i < VECTORS_MAX; i++) {
        Piece p = {ADDRINT(PeekNumber(vectors + 2 * i * word, word)), PeekNumber(vectors + (2 * i + 1) * word, word)};
        pieces.push_back(p);
    }
}

// The first so many bytes.
static inline Pieces Cut(const Pieces &all, UINT64 bytes)
{
    Pieces some;
    for (size_t i = 0; i < all.size() && bytes; i++) {
        Piece p = {all[i].address, std::min(all[i].bytes, bytes)};
        bytes -= p.bytes;
        some.push_back(p);
    }
    return some;
}

// The data of one message; a msghdr is seven words, the third and the fourth say where.
static inline Pieces MessageData(ADDRINT header, UINT32 word)
{
    Pieces pieces;
    AddVectors(pieces, ADDRINT(PeekNumber(header + 2 * word, word)), PeekNumber(header + 3 * word, word), word);
    return pieces;
}

// Of so many messages of an array as many bytes as each has had; an mmsghdr is a msghdr and a word.
static inline Pieces MessagesData(ADDRINT headers, UINT64 n, UINT32 word)
{
    Pieces all;
    for (UINT64 i = 0; i < n && i < VECTORS_MAX; i++) {
        const ADDRINT header = headers + 8 * i * word;
        const Pieces one = Cut(MessageData(header, word), PeekNumber(header + 7 * word, 4));
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

static inline UINT64 CountOf(const SyscallArg &arg, const ADDRINT *values)
{
    if (arg.extent == SYSCALL_AT)
        return PeekNumber(values[arg.count], 4);
    return arg.extent == SYSCALL_ONE ? 1 : arg.flags & SYSCALL_NARROW ? UINT32(values[arg.count]) : values[arg.count];
}

// How many bytes argument i leads to, if they are in one place.
static inline UINT64 BytesOf(const SyscallArg &arg, UINT64 n)
{
    switch (arg.kind) {
    case SYSCALL_BITS: return (n + 63) / 64 * 8;
    case SYSCALL_PAGES: return (n + 4095) / 4096;
    case SYSCALL_MESSAGE: return sizeof(ADDRINT) + n;
    default: return n * arg.bytes;
    }
}

// The memory that argument i leads to. result: what the call has returned; less than 0: it has not yet, all that there might be.
static inline Pieces MemoryOf(const Syscall &call, UINT32 i, const ADDRINT *values, INT64 result)
{
    const SyscallArg &arg = call.arg[i];
    const bool limited = result >= 0 && arg.flags & SYSCALL_RESULT;
    UINT64 n = CountOf(arg, values);
    Pieces pieces;
    switch (arg.kind) {
    case SYSCALL_IOVEC: AddVectors(pieces, values[i], n, arg.bytes / 2); break;
    case SYSCALL_MSGHDR: pieces = MessageData(values[i], arg.bytes / 7); break;
    case SYSCALL_MMSGHDR: return MessagesData(values[i], limited ? std::min(n, UINT64(result)) : 0, arg.bytes / 8);
    default: {
        Piece p = {values[i], BytesOf(arg, limited ? std::min(n, UINT64(result)) : n)};
        if (p.address)
            pieces.push_back(p);
        return pieces;
    }
    }
    return limited ? Cut(pieces, UINT64(result)) : pieces;
}

#endif
