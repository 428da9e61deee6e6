/* SPDX-License-Identifier: Apache-2.0
 * Prints one case in full, one fact a line: its instructions (lines `i`), the state before it (`b`) and the state after it (`a`), for the driver
 * to compare and to show. */
#include "fuzz.h"

#include <Zydis/Zydis.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const gpr_name[GPRS] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                           "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};

static void dump_item(const struct gen *g, u32 n)
{
    const struct item *it = &g->item[n];
    u32 at = it->off;
    printf("i %u %s\n", n, it->what);
    while (at < (u32)it->off + it->len) {
        ZydisDisassembledInstruction d;
        u32 len = 1;
        const char *text = "(bad)";
        if (ZYAN_SUCCESS(ZydisDisassembleATT(ZYDIS_MACHINE_MODE_LONG_64, g->code + at, g->code_buf + at, 15, &d))) {
            len = d.info.length;
            text = d.text;
        }
        if (at + len > (u32)it->off + it->len)
            len = it->off + it->len - at;
        printf("i     %" PRIx64 " ", g->code + at);
        for (u32 i = 0; i < len; i++)
            printf("%02x", g->code_buf[at + i]);
        printf("  %s\n", text);
        at += len;
    }
}

static void dump_bytes(char tag, const char *name, u32 number, const u8 *p, u32 bytes)
{
    printf("%c %s%u ", tag, name, number);
    for (u32 i = bytes; i-- > 0;)
        printf("%02x", p[i]);
    printf("\n");
}

static void dump_vector(char tag, const u8 *x, u32 n)
{
    u8 v[64] = {0};
    if (n < 16) {
        memcpy(v, x + 160 + n * 16, 16);
        memcpy(v + 16, x + xsave_offset[2] + n * 16, xsave_bytes[2] ? 16 : 0);
        memcpy(v + 32, x + xsave_offset[6] + n * 32, xsave_bytes[6] ? 32 : 0);
    } else {
        memcpy(v, x + xsave_offset[7] + (n - 16) * 64, 64);
    }
    dump_bytes(tag, "zmm", n, v, 64);
}

static void dump_xsave(char tag, const u8 *x)
{
    u16 w[3];
    u32 mxcsr;
    memcpy(w, x, 6);
    memcpy(&mxcsr, x + 24, 4);
    printf("%c fcw %04x\n%c fsw %04x\n%c ftw %02x\n%c mxcsr %08x\n", tag, w[0], tag, w[1], tag, w[2], tag, mxcsr);
    if (gen_strict)
        dump_bytes(tag, "fpu_pointers", 0, x + 6, 18);
    for (u32 i = 0; i < 8; i++)
        dump_bytes(tag, "st", i, x + 32 + i * 16, 10);
    for (u32 i = 0; i < (xsave_bytes[7] ? 32u : 16u); i++)
        dump_vector(tag, x, i);
    for (u32 i = 0; i < xsave_bytes[5] / 8; i++)
        dump_bytes(tag, "k", i, x + xsave_offset[5] + i * 8, 8);
}

static void dump_registers(char tag, const u64 *gpr, u64 flags, u64 fs, u64 gs)
{
    for (int i = 0; i < GPRS; i++)
        printf("%c %s %016" PRIx64 "\n", tag, gpr_name[i], gpr[i]);
    printf("%c flags %08" PRIx64 "\n%c fs %016" PRIx64 "\n%c gs %016" PRIx64 "\n", tag, flags, tag, fs, tag, gs);
}

/* The words that the case changed. */
static void dump_memory(const struct gen *g, u64 seed, u64 number)
{
    static u64 data[DATA_BYTES / 8], stack[STACK_BYTES / 8];
    const u64 *now_data = (u64 *)g->base, *now_stack = (u64 *)(g->base + STACK_AT);
    memcpy(data, now_data, sizeof data);
    memcpy(stack, now_stack, sizeof stack);
    struct rng r = rng_make(seed, number, 1000);
    state_fill_memory(g->base, &r);
    for (u32 i = 0; i < ARRAY_LEN(data); i++)
        if (data[i] != now_data[i])
            printf("a mem:%lx %016" PRIx64 "\n", g->base + i * 8, data[i]);
    for (u32 i = 0; i < ARRAY_LEN(stack); i++)
        if (stack[i] != now_stack[i])
            printf("a stack:%lx %016" PRIx64 "\n", g->base + STACK_AT + i * 8, stack[i]);
}

void dump_case(const struct gen *g, u64 seed, u64 number)
{
    const struct run_out *o = &fuzz_out;
    printf("i code at %" PRIx64 ", %s, vector index zmm%u\n", g->code, g->rwx ? "RWX" : "W^X", g->vindex);
    for (u32 i = 0; i < g->nitems; i++)
        if (g->item[i].len)
            dump_item(g, i);
    dump_registers('b', fuzz_in.gpr, fuzz_in.flags, fuzz_in.fs, fuzz_in.gs);
    dump_xsave('b', fuzz_xin);
    dump_registers('a', o->gpr, o->flags, o->fs, o->gs);
    printf("a signal %" PRIu64 "\na si_code %" PRIx64 "\na si_addr %" PRIx64 "\na rip %" PRIx64 "\na err %" PRIx64 "\na trapno %" PRIu64 "\n",
           o->signo, o->code, o->addr, o->rip, o->err, o->trapno);
    printf("a breakpoints %" PRIu64 " %016" PRIx64 "\n", o->traps, o->trap_hash);
    dump_xsave('a', fuzz_xout);
    dump_memory(g, seed, number);
}
