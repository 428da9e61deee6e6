/* SPDX-License-Identifier: Apache-2.0
 * Routines with constant arguments of all kinds, inlined in the loop of the guest at at_first, whose count is in r12: what they leave behind is compared with the same calls made natively. */
#include "golden.h"

#include <cstring>

static const UINT64 rounds = 30000;
static struct state {
    UINT64 a, b, c, d, t[64];
    UINT32 w[8];
    UINT16 h;
    UINT8 q;
} s;

static VOID Add(UINT32 n, ADDRINT pc) { s.a += n, s.b ^= pc; }
static VOID Wide(UINT64 v) { s.b += v, s.c = s.b ^ v; }
static VOID Index(ADDRINT i, UINT32 n, ADDRINT v) { s.t[i] += n, s.w[n % 8] -= static_cast<UINT32>(v); }
static VOID Scale(ADDRINT v, ADDRINT k, UINT32 n) { s.c += v + k * 8 + 7, s.d ^= v * 4 + n, s.t[(v + k) % 64] = n; }
static VOID Narrow(UINT32 n, ADDRINT v) { s.h = static_cast<UINT16>(s.h + n), s.q = static_cast<UINT8>(n ^ v), s.w[v % 8] = n; }
static VOID Loop(UINT32 n, ADDRINT v)
{
    for (UINT32 i = 0; i < n; i++)
        s.t[(i + v) % 64] += i * n;
}
static VOID Range(ADDRINT v, ADDRINT low, ADDRINT high)
{
    if (v < low)
        s.a += low;
    else if (v - low <= high)
        s.b += v;
    else
        s.d = high;
}
static VOID __attribute__((noinline)) Rare(ADDRINT pc, UINT32 n, ADDRINT v, UINT64 *at)
{
    __asm__ volatile("push %%rbx\n mov %0, %%rbx\n pop %%rbx" : : "r"(pc) : "rax", "r10", "r11", "xmm2", "cc");
    s.d += pc * n + v, *at += n;
}
static VOID Rest(ADDRINT pc, UINT32 n, ADDRINT v)
{
    s.a += n;
    if (v % 4 == 0)
        Rare(pc, n, v, &s.t[v % 64]);
    else
        s.t[v % 64]++;
}
static ADDRINT Some(ADDRINT v, UINT32 n) { return v % 8 < n ? v & 1 : n; }
static VOID Then(ADDRINT v, UINT32 n) { s.c ^= v << n; }

static const UINT64 far_away = 0x123456789abcdef0;
static const ADDRINT minus_five = static_cast<ADDRINT>(-5);

/* What Instruction inserts, made natively. */
static VOID Natively(ADDRINT pc, ADDRINT v)
{
    static VOID (*volatile add)(UINT32, ADDRINT) = Add;
    static VOID (*volatile wide)(UINT64) = Wide;
    static VOID (*volatile index)(ADDRINT, UINT32, ADDRINT) = Index;
    static VOID (*volatile scale)(ADDRINT, ADDRINT, UINT32) = Scale;
    static VOID (*volatile narrow)(UINT32, ADDRINT) = Narrow;
    static VOID (*volatile loop)(UINT32, ADDRINT) = Loop;
    static VOID (*volatile range)(ADDRINT, ADDRINT, ADDRINT) = Range;
    static VOID (*volatile rest)(ADDRINT, UINT32, ADDRINT) = Rest;
    add(3, pc), add(0xfffffff0, v), add(300, minus_five);
    wide(far_away), wide(minus_five), wide(v), wide(9);
    index(5, 11, v), index(v % 2 ? 6 : 6, 0x40000001, minus_five), index(63, 127, 128);
    scale(v, 9, 2), scale(v, v, 70000), scale(6, v, 1), scale(5, 1000, 3), scale(v, 0x3fffffff, 5);
    narrow(0x12345678, v), narrow(200, 7);
    loop(0, v), loop(1, v), loop(5, 3), loop(3, v);
    range(v, 100, 20000), range(500, v, 100), range(1, 2, 3), range(v, 0x7fffffff, minus_five), range(v, 1u << 30, 1);
    rest(pc, 4, v), rest(far_away, 1000, v), rest(pc, 2, 8), rest(minus_five, 1, 7);
    if (Some(v, 3))
        Then(v, 1);
    if (Some(v, 9))
        Then(v, 2);
}

#define COUNT IARG_REG_VALUE, REG_R12
#define CALL(fn, ...) INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(fn), __VA_ARGS__, IARG_END)

static VOID Instruction(INS ins, VOID *)
{
    if (!is_at(ins, "at_first"))
        return;
    CALL(Add, IARG_UINT32, 3, IARG_INST_PTR), CALL(Add, IARG_UINT32, 0xfffffff0, COUNT), CALL(Add, IARG_UINT32, 300, IARG_ADDRINT, minus_five);
    CALL(Wide, IARG_UINT64, far_away), CALL(Wide, IARG_ADDRINT, minus_five), CALL(Wide, COUNT), CALL(Wide, IARG_UINT64, UINT64(9));
    CALL(Index, IARG_ADDRINT, ADDRINT(5), IARG_UINT32, 11, COUNT), CALL(Index, IARG_ADDRINT, ADDRINT(6), IARG_UINT32, 0x40000001, IARG_ADDRINT, minus_five);
    CALL(Index, IARG_ADDRINT, ADDRINT(63), IARG_UINT32, 127, IARG_ADDRINT, ADDRINT(128));
    CALL(Scale, COUNT, IARG_ADDRINT, ADDRINT(9), IARG_UINT32, 2), CALL(Scale, COUNT, COUNT, IARG_UINT32, 70000), CALL(Scale, IARG_ADDRINT, ADDRINT(6), COUNT, IARG_UINT32, 1);
    CALL(Scale, IARG_ADDRINT, ADDRINT(5), IARG_ADDRINT, ADDRINT(1000), IARG_UINT32, 3), CALL(Scale, COUNT, IARG_ADDRINT, ADDRINT(0x3fffffff), IARG_UINT32, 5);
    CALL(Narrow, IARG_UINT32, 0x12345678, COUNT), CALL(Narrow, IARG_UINT32, 200, IARG_ADDRINT, ADDRINT(7));
    CALL(Loop, IARG_UINT32, 0, COUNT), CALL(Loop, IARG_UINT32, 1, COUNT), CALL(Loop, IARG_UINT32, 5, IARG_ADDRINT, ADDRINT(3)), CALL(Loop, IARG_UINT32, 3, COUNT);
    CALL(Range, COUNT, IARG_ADDRINT, ADDRINT(100), IARG_ADDRINT, ADDRINT(20000)), CALL(Range, IARG_ADDRINT, ADDRINT(500), COUNT, IARG_ADDRINT, ADDRINT(100));
    CALL(Range, IARG_ADDRINT, ADDRINT(1), IARG_ADDRINT, ADDRINT(2), IARG_ADDRINT, ADDRINT(3)), CALL(Range, COUNT, IARG_ADDRINT, ADDRINT(0x7fffffff), IARG_ADDRINT, minus_five);
    CALL(Range, COUNT, IARG_ADDRINT, ADDRINT(1u << 30), IARG_ADDRINT, ADDRINT(1));
    CALL(Rest, IARG_INST_PTR, IARG_UINT32, 4, COUNT), CALL(Rest, IARG_ADDRINT, far_away, IARG_UINT32, 1000, COUNT);
    CALL(Rest, IARG_INST_PTR, IARG_UINT32, 2, IARG_ADDRINT, ADDRINT(8)), CALL(Rest, IARG_ADDRINT, minus_five, IARG_UINT32, 1, IARG_ADDRINT, ADDRINT(7));
    for (UINT32 i = 0; i < 2; i++) {
        INS_InsertIfCall(ins, IPOINT_BEFORE, AFUNPTR(Some), COUNT, IARG_UINT32, i ? 9 : 3, IARG_END);
        INS_InsertThenCall(ins, IPOINT_BEFORE, AFUNPTR(Then), COUNT, IARG_UINT32, i + 1, IARG_END);
    }
}

static VOID Fini(INT32, VOID *)
{
    state got = s;
    std::memset(&s, 0, sizeof s);
    for (UINT64 v = rounds; v; v--)
        Natively(at("at_first"), v);
    const UINT64 *want = &s.a, *is = &got.a;
    for (size_t i = 0; i < 68; i++)
        if (want[i] != is[i])
            std::printf("word %lu: %lx, natively %lx\n", i, is[i], want[i]);
    std::printf("%s\n", std::memcmp(got.w, s.w, sizeof s.w) || got.h != s.h || got.q != s.q ? "different" : "the rest is equal");
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
