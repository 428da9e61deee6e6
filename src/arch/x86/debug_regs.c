/* SPDX-License-Identifier: Apache-2.0
 * See debug_regs.h. One table of groups, from which numbers, sizes and the description are made; what a context holds
 * is read and written by context.c. Owns the description, which is written once. */
#include "arch/x86/debug_regs.h"

#include "arch/x86/context.h"
#include "linchpin/reg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_REGS 256u
#define XML_BYTES 32768u
#define RESTART_FIRST (-512) /* results by which the kernel says that a call is to be made again */
#define RESTART_LAST (-516)
#define SYSCALL_BYTES 2
#define TLS_VECTOR_AT 8 /* from the thread pointer */

/* Components of the extended state, as bits. */
enum { HAS_AVX = 1 << 2, HAS_AVX512 = 7 << 5, HAS_PKRU = 1 << 9 };

struct group {
    const char *feature, *name; /* a name with % is that of n registers */
    const char *type;
    const char *kind;           /* the debugger's group, NULL: general or by type */
    u16 reg, n;                 /* the first of them */
    u8 bytes, skip;             /* of the register in the context: where its part begins */
    u16 needs;
    u8 first;                   /* number in the first name */
};

#define CORE "org.gnu.gdb.i386.core"
#define SSE "org.gnu.gdb.i386.sse"
#define SEGMENTS "org.gnu.gdb.i386.segments"
#define LINUX "org.gnu.gdb.i386.linux"
#define AVX "org.gnu.gdb.i386.avx"
#define AVX512 "org.gnu.gdb.i386.avx512"
#define PKEYS "org.gnu.gdb.i386.pkeys"

static const struct group groups[] = {
    {CORE, "rax", "int64", NULL, REG_RAX, 1, 8, 0, 0, 0},
    {CORE, "rbx", "int64", NULL, REG_RBX, 1, 8, 0, 0, 0},
    {CORE, "rcx", "int64", NULL, REG_RCX, 1, 8, 0, 0, 0},
    {CORE, "rdx", "int64", NULL, REG_RDX, 1, 8, 0, 0, 0},
    {CORE, "rsi", "int64", NULL, REG_RSI, 1, 8, 0, 0, 0},
    {CORE, "rdi", "int64", NULL, REG_RDI, 1, 8, 0, 0, 0},
    {CORE, "rbp", "data_ptr", NULL, REG_RBP, 1, 8, 0, 0, 0},
    {CORE, "rsp", "data_ptr", NULL, REG_RSP, 1, 8, 0, 0, 0},
    {CORE, "r8", "int64", NULL, REG_R8, 1, 8, 0, 0, 0},
    {CORE, "r9", "int64", NULL, REG_R9, 1, 8, 0, 0, 0},
    {CORE, "r10", "int64", NULL, REG_R10, 1, 8, 0, 0, 0},
    {CORE, "r11", "int64", NULL, REG_R11, 1, 8, 0, 0, 0},
    {CORE, "r12", "int64", NULL, REG_R12, 1, 8, 0, 0, 0},
    {CORE, "r13", "int64", NULL, REG_R13, 1, 8, 0, 0, 0},
    {CORE, "r14", "int64", NULL, REG_R14, 1, 8, 0, 0, 0},
    {CORE, "r15", "int64", NULL, REG_R15, 1, 8, 0, 0, 0},
    {CORE, "rip", "code_ptr", NULL, REG_RIP, 1, 8, 0, 0, 0},
    {CORE, "eflags", "i386_eflags", NULL, REG_RFLAGS, 1, 4, 0, 0, 0},
    {CORE, "cs", "int32", NULL, REG_SEG_CS, 1, 4, 0, 0, 0},
    {CORE, "ss", "int32", NULL, REG_SEG_SS, 1, 4, 0, 0, 0},
    {CORE, "ds", "int32", NULL, REG_SEG_DS, 1, 4, 0, 0, 0},
    {CORE, "es", "int32", NULL, REG_SEG_ES, 1, 4, 0, 0, 0},
    {CORE, "fs", "int32", NULL, REG_SEG_FS, 1, 4, 0, 0, 0},
    {CORE, "gs", "int32", NULL, REG_SEG_GS, 1, 4, 0, 0, 0},
    {CORE, "st%u", "i387_ext", NULL, REG_ST0, 8, 10, 0, 0, 0},
    {CORE, "fctrl", "int", "float", REG_FPCW, 1, 4, 0, 0, 0},
    {CORE, "fstat", "int", "float", REG_FPSW, 1, 4, 0, 0, 0},
    {CORE, "ftag", "int", "float", REG_FPTAG_FULL, 1, 4, 0, 0, 0},
    {CORE, "fiseg", "int", "float", REG_FPIP_SEL, 1, 4, 0, 0, 0},
    {CORE, "fioff", "int", "float", REG_FPIP_OFF, 1, 4, 0, 0, 0},
    {CORE, "foseg", "int", "float", REG_FPDP_SEL, 1, 4, 0, 0, 0},
    {CORE, "fooff", "int", "float", REG_FPDP_OFF, 1, 4, 0, 0, 0},
    {CORE, "fop", "int", "float", REG_FPOPCODE, 1, 4, 0, 0, 0},
    {SSE, "xmm%u", "vec128", NULL, REG_XMM_BASE, 16, 16, 0, 0, 0},
    {SSE, "mxcsr", "i386_mxcsr", "vector", REG_MXCSR, 1, 4, 0, 0, 0},
    {LINUX, "orig_rax", "int", "system", REG_ORIG_RAX, 1, 8, 0, 0, 0},
    {SEGMENTS, "fs_base", "int", NULL, REG_SEG_FS_BASE, 1, 8, 0, 0, 0},
    {SEGMENTS, "gs_base", "int", NULL, REG_SEG_GS_BASE, 1, 8, 0, 0, 0},
    {AVX, "ymm%uh", "uint128", NULL, REG_YMM_BASE, 16, 16, 16, HAS_AVX, 0},
    {AVX512, "xmm%u", "vec128", NULL, REG_XMM_BASE + 16, 16, 16, 0, HAS_AVX512, 16},
    {AVX512, "ymm%uh", "uint128", NULL, REG_YMM_BASE + 16, 16, 16, 16, HAS_AVX512, 16},
    {AVX512, "k%u", "uint64", NULL, REG_K0, 8, 8, 0, HAS_AVX512, 0},
    {AVX512, "zmm%uh", "v2ui128", NULL, REG_ZMM_BASE, 32, 32, 32, HAS_AVX512, 0},
};

/* Types that features define for themselves. */
static const struct {
    const char *feature, *text;
} types[] = {
    {CORE, "<flags id=\"i386_eflags\" size=\"4\">"
           "<field name=\"CF\" start=\"0\" end=\"0\"/><field name=\"\" start=\"1\" end=\"1\"/>"
           "<field name=\"PF\" start=\"2\" end=\"2\"/><field name=\"AF\" start=\"4\" end=\"4\"/>"
           "<field name=\"ZF\" start=\"6\" end=\"6\"/><field name=\"SF\" start=\"7\" end=\"7\"/>"
           "<field name=\"TF\" start=\"8\" end=\"8\"/><field name=\"IF\" start=\"9\" end=\"9\"/>"
           "<field name=\"DF\" start=\"10\" end=\"10\"/><field name=\"OF\" start=\"11\" end=\"11\"/>"
           "<field name=\"NT\" start=\"14\" end=\"14\"/><field name=\"RF\" start=\"16\" end=\"16\"/>"
           "<field name=\"VM\" start=\"17\" end=\"17\"/><field name=\"AC\" start=\"18\" end=\"18\"/>"
           "<field name=\"VIF\" start=\"19\" end=\"19\"/><field name=\"VIP\" start=\"20\" end=\"20\"/>"
           "<field name=\"ID\" start=\"21\" end=\"21\"/></flags>"},
    {SSE, "<vector id=\"v8bf16\" type=\"bfloat16\" count=\"8\"/><vector id=\"v8h\" type=\"ieee_half\" count=\"8\"/>"
          "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>"
          "<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/><vector id=\"v16i8\" type=\"int8\" count=\"16\"/>"
          "<vector id=\"v8i16\" type=\"int16\" count=\"8\"/><vector id=\"v4i32\" type=\"int32\" count=\"4\"/>"
          "<vector id=\"v2i64\" type=\"int64\" count=\"2\"/>"
          "<union id=\"vec128\"><field name=\"v8_bfloat16\" type=\"v8bf16\"/><field name=\"v8_half\" type=\"v8h\"/>"
          "<field name=\"v4_float\" type=\"v4f\"/>"
          "<field name=\"v2_double\" type=\"v2d\"/><field name=\"v16_int8\" type=\"v16i8\"/>"
          "<field name=\"v8_int16\" type=\"v8i16\"/><field name=\"v4_int32\" type=\"v4i32\"/>"
          "<field name=\"v2_int64\" type=\"v2i64\"/><field name=\"uint128\" type=\"uint128\"/></union>"
          "<flags id=\"i386_mxcsr\" size=\"4\">"
          "<field name=\"IE\" start=\"0\" end=\"0\"/><field name=\"DE\" start=\"1\" end=\"1\"/>"
          "<field name=\"ZE\" start=\"2\" end=\"2\"/><field name=\"OE\" start=\"3\" end=\"3\"/>"
          "<field name=\"UE\" start=\"4\" end=\"4\"/><field name=\"PE\" start=\"5\" end=\"5\"/>"
          "<field name=\"DAZ\" start=\"6\" end=\"6\"/><field name=\"IM\" start=\"7\" end=\"7\"/>"
          "<field name=\"DM\" start=\"8\" end=\"8\"/><field name=\"ZM\" start=\"9\" end=\"9\"/>"
          "<field name=\"OM\" start=\"10\" end=\"10\"/><field name=\"UM\" start=\"11\" end=\"11\"/>"
          "<field name=\"PM\" start=\"12\" end=\"12\"/><field name=\"FZ\" start=\"15\" end=\"15\"/></flags>"},
    {AVX512, "<vector id=\"v8bf16\" type=\"bfloat16\" count=\"8\"/>"
             "<vector id=\"v8h\" type=\"ieee_half\" count=\"8\"/>"
          "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>"
             "<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/><vector id=\"v16i8\" type=\"int8\" count=\"16\"/>"
             "<vector id=\"v8i16\" type=\"int16\" count=\"8\"/><vector id=\"v4i32\" type=\"int32\" count=\"4\"/>"
             "<vector id=\"v2i64\" type=\"int64\" count=\"2\"/>"
             "<union id=\"vec128\"><field name=\"v8_bfloat16\" type=\"v8bf16\"/><field name=\"v8_half\" type=\"v8h\"/>"
             "<field name=\"v4_float\" type=\"v4f\"/><field name=\"v2_double\" type=\"v2d\"/>"
             "<field name=\"v16_int8\" type=\"v16i8\"/><field name=\"v8_int16\" type=\"v8i16\"/>"
             "<field name=\"v4_int32\" type=\"v4i32\"/><field name=\"v2_int64\" type=\"v2i64\"/>"
             "<field name=\"uint128\" type=\"uint128\"/></union>"
             "<vector id=\"v2ui128\" type=\"uint128\" count=\"2\"/>"},
};

static struct {
    u8 group, index;
} number[MOST_REGS];
static u32 count;
static char xml[XML_BYTES];
static size_t xml_bytes;

static bool has_group(const struct group *g) { return !g->needs || context_has_state(g->needs); }

static void __attribute__((format(printf, 1, 2))) add(const char *form, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, form);
    xml_bytes += (size_t)vsnprintf(xml + xml_bytes, sizeof xml - xml_bytes, form, list);
    __builtin_va_end(list);
    if (xml_bytes >= sizeof xml)
        BUG("the description of registers has no room");
}

static void add_types(const char *feature)
{
    for (u32 i = 0; i < ARRAY_LEN(types); i++)
        if (!strcmp(types[i].feature, feature))
            add("%s", types[i].text);
}

static void add_reg(const struct group *g, u32 i)
{
    char name[16];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(name, sizeof name, g->name, g->first + i);
#pragma GCC diagnostic pop
    add("<reg name=\"%s\" bitsize=\"%u\" type=\"%s\"", name, g->bytes * 8u, g->type);
    if (g->kind)
        add(" group=\"%s\"", g->kind);
    add("/>");
}

void debug_regs_init(void)
{
    const char *open = NULL;
    if (count)
        return;
    add("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
        "<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>");
    for (u32 k = 0; k < ARRAY_LEN(groups); k++) {
        const struct group *g = &groups[k];
        if (!has_group(g))
            continue;
        if (!open || strcmp(open, g->feature)) {
            add("%s<feature name=\"%s\">", open ? "</feature>" : "", g->feature);
            add_types(g->feature);
            open = g->feature;
        }
        for (u32 i = 0; i < g->n; i++) {
            add_reg(g, i);
            number[count].group = (u8)k;
            number[count++].index = (u8)i;
        }
    }
    add("</feature></target>");
}

u32 debug_regs_count(void) { return count; }
const char *debug_regs_xml(void) { return xml; }
u32 debug_reg_bytes(u32 n) { return n < count ? groups[number[n].group].bytes : 0; }
u64 debug_regs_pc(const struct bridge_state *s) { return s->pc; }

u32 debug_reg_of_tool(u32 n)
{
    return n < count ? groups[number[n].group].reg + (u32)number[n].index : ~0u;
}

u32 debug_reg_at_stop(u32 i)
{
    static const u16 want[] = {REG_RBP, REG_RSP, REG_RIP};
    for (u32 n = 0; i < ARRAY_LEN(want) && n < count; n++)
        if (debug_reg_of_tool(n) == want[i])
            return n;
    return ~0u;
}

void debug_reg_get(const struct bridge_state *s, u32 n, void *out)
{
    const struct group *g = &groups[number[n].group];
    u32 reg = debug_reg_of_tool(n);
    u8 whole[2 * DEBUG_REG_MOST_BYTES] = {0};
    if (reg == REG_ORIG_RAX)
        memcpy(whole, &s->value, 8);
    else
        context_read(s, reg, whole);
    memcpy(out, whole + g->skip, g->bytes);
}

bool debug_reg_set(struct bridge_state *s, u32 n, const void *in)
{
    const struct group *g = &groups[number[n].group];
    u32 reg = debug_reg_of_tool(n);
    u8 whole[2 * DEBUG_REG_MOST_BYTES] = {0};
    if (reg == REG_ORIG_RAX) {
        memcpy(&s->value, in, 8);
        return true;
    }
    context_read(s, reg, whole);
    if (!memcmp(whole + g->skip, in, g->bytes))
        return true; /* so that what is not in use stays so */
    memcpy(whole + g->skip, in, g->bytes);
    return context_write(s, reg, whole);
}

u64 debug_regs_tls_vector(const struct bridge_state *s) { return s->fs_base + TLS_VECTOR_AT; }

void debug_regs_no_call(struct bridge_state *s) { s->value = ~0ul; }

void debug_regs_in_call(struct bridge_state *s)
{
    s->value = s->gpr[RAX];
    s->gpr[RAX] = (u64)RESTART_FIRST;
}

void debug_regs_restart(struct bridge_state *s)
{
    s64 result = (s64)s->gpr[RAX];
    if (s->value == ~0ul || result > RESTART_FIRST || result < RESTART_LAST)
        return;
    s->gpr[RAX] = s->value;
    s->pc -= SYSCALL_BYTES;
    s->value = ~0ul;
}
