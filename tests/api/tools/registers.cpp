/* SPDX-License-Identifier: Apache-2.0
 * The REG functions, for every register there is: each question against the set of those that it is true for, written down here by name. */
#include "checks.h"

#include <set>

typedef std::set<int> Set;

static Set Range(int first, int last)
{
    Set s;
    for (int i = first; i <= last; i++)
        s.insert(i);
    return s;
}
static Set operator+(const Set &a, const Set &b)
{
    Set s = a;
    s.insert(b.begin(), b.end());
    return s;
}
static Set operator-(const Set &a, const Set &b)
{
    Set s = a;
    for (int r : b)
        s.erase(r);
    return s;
}

/* One row for each general register: 64, 32, 16, low 8 and high 8 bits. */
static const REG family[16][5] = {
    {REG_RAX, REG_EAX, REG_AX, REG_AL, REG_AH}, {REG_RBX, REG_EBX, REG_BX, REG_BL, REG_BH}, {REG_RCX, REG_ECX, REG_CX, REG_CL, REG_CH}, {REG_RDX, REG_EDX, REG_DX, REG_DL, REG_DH},
    {REG_RSI, REG_ESI, REG_SI, REG_SIL, REG_INVALID_}, {REG_RDI, REG_EDI, REG_DI, REG_DIL, REG_INVALID_}, {REG_RBP, REG_EBP, REG_BP, REG_BPL, REG_INVALID_},
    {REG_RSP, REG_ESP, REG_SP, REG_SPL, REG_INVALID_}, {REG_R8, REG_R8D, REG_R8W, REG_R8B, REG_INVALID_}, {REG_R9, REG_R9D, REG_R9W, REG_R9B, REG_INVALID_},
    {REG_R10, REG_R10D, REG_R10W, REG_R10B, REG_INVALID_}, {REG_R11, REG_R11D, REG_R11W, REG_R11B, REG_INVALID_}, {REG_R12, REG_R12D, REG_R12W, REG_R12B, REG_INVALID_},
    {REG_R13, REG_R13D, REG_R13W, REG_R13B, REG_INVALID_}, {REG_R14, REG_R14D, REG_R14W, REG_R14B, REG_INVALID_}, {REG_R15, REG_R15D, REG_R15W, REG_R15B, REG_INVALID_}};
static const char *const names[16][5] = {
    {"rax", "eax", "ax", "al", "ah"}, {"rbx", "ebx", "bx", "bl", "bh"}, {"rcx", "ecx", "cx", "cl", "ch"}, {"rdx", "edx", "dx", "dl", "dh"}, {"rsi", "esi", "si", "sil", 0}, {"rdi", "edi", "di", "dil", 0},
    {"rbp", "ebp", "bp", "bpl", 0}, {"rsp", "esp", "sp", "spl", 0}, {"r8", "r8d", "r8w", "r8b", 0}, {"r9", "r9d", "r9w", "r9b", 0}, {"r10", "r10d", "r10w", "r10b", 0}, {"r11", "r11d", "r11w", "r11b", 0},
    {"r12", "r12d", "r12w", "r12b", 0}, {"r13", "r13d", "r13w", "r13b", 0}, {"r14", "r14d", "r14w", "r14b", 0}, {"r15", "r15d", "r15w", "r15b", 0}};

static Set Column(int c)
{
    Set s;
    for (int i = 0; i < 16; i++)
        if (family[i][c] != REG_INVALID_)
            s.insert(family[i][c]);
    return s;
}

static void Families()
{
    static const UINT32 bytes[5] = {8, 4, 2, 1, 1};
    static const REGWIDTH widths[5] = {REGWIDTH_64, REGWIDTH_32, REGWIDTH_16, REGWIDTH_8, REGWIDTH_8};
    for (int i = 0; i < 16; i++)
        for (int c = 0; c < 5; c++) {
            REG r = family[i][c];
            if (r == REG_INVALID_)
                continue;
            EQUAL(REG_StringShort(r), std::string(names[i][c]));
            EQUAL(REG_Size(r), bytes[c]);
            EQUAL(REG_Width(r), widths[c]);
            EQUAL(REG_FullRegName(r), family[i][0]);
            EQUAL(REG_IdentityCopy(r), r);
        }
}

static void Is(const char *what, BOOL (*fun)(REG), const Set &wanted)
{
    for (int r = 0; r < REG_LAST; r++) {
        checks_done++;
        if (fun(static_cast<REG>(r)) == (wanted.count(r) != 0))
            continue;
        checks_wrong++;
        std::printf("%s(%s) is %d\n", what, REG_StringShort(static_cast<REG>(r)).c_str(), fun(static_cast<REG>(r)));
    }
}
#define IS(name, set) Is("REG_" #name, REG_##name, set)

static void Questions()
{
    Set gr64 = Column(0), gr32 = Column(1), gr16 = Column(2), low = Column(3), high = Column(4), none;
    Set flags = {REG_RFLAGS}, flags_all = {REG_RFLAGS, REG_EFLAGS, REG_FLAGS}, xmm = Range(REG_XMM0, REG_XMM31), ymm = Range(REG_YMM0, REG_YMM31), zmm = Range(REG_ZMM0, REG_ZMM31);
    Set seg = {REG_SEG_CS, REG_SEG_SS, REG_SEG_DS, REG_SEG_ES, REG_SEG_FS, REG_SEG_GS}, st = Range(REG_ST0, REG_ST7), k = Range(REG_K0, REG_K7);
    Set inst = Range(REG_INST_G0, REG_INST_G29), inst32 = Range(REG_INST_G0D, REG_INST_G29D), buffer = Range(REG_BUF_BASE0, REG_BUF_END9), all = Range(REG_RDI, REG_LAST - 1);
    Set pin_gr = Range(REG_PIN_RDI, REG_PIN_R15), pin_flags = {REG_PIN_FLAGS, REG_PIN_STATUS_FLAGS, REG_PIN_DF_FLAG}, pin = Range(REG_PIN_RDI, REG_BUF_END9) + Set({REG_INST_COND}), x87 = {REG_X87};
    IS(is_gr, gr64), IS(is_gr64, gr64), IS(is_gr32, gr32), IS(is_gr16, gr16), IS(is_gr8, low + high), IS(is_gr_type, gr64 + gr32 + gr16 + low + high);
    IS(is_Lower8, low), IS(is_Upper8, high), IS(is_Any8, low + high), IS(is_Half32, gr32 + Set({REG_EFLAGS, REG_EIP})), IS(is_Half16, gr16 + Set({REG_FLAGS, REG_IP}));
    IS(is_partialreg, gr32 + gr16 + low + high + Set({REG_EFLAGS, REG_EIP, REG_FLAGS, REG_IP})), IS(is_stackptr_type, Set({REG_RSP, REG_ESP, REG_SP, REG_SPL}));
    IS(is_seg, seg), IS(is_gs_or_fs, Set({REG_SEG_FS, REG_SEG_GS})), IS(is_seg_base, Set({REG_SEG_FS_BASE, REG_SEG_GS_BASE})), IS(is_br, Set({REG_RIP, REG_EIP, REG_IP}));
    IS(is_flags, flags), IS(is_flags_type, flags + Set({REG_PIN_FLAGS})), IS(is_flags_any_size_type, flags_all + Set({REG_PIN_FLAGS})), IS(is_status_flags, Set({REG_STATUS_FLAGS}));
    IS(is_df_flag, Set({REG_DF_FLAG})), IS(is_app_status_flags_type, Set({REG_STATUS_FLAGS})), IS(is_app_df_flag_type, Set({REG_DF_FLAG}));
    IS(is_status_flags_type, Set({REG_STATUS_FLAGS, REG_PIN_STATUS_FLAGS})), IS(is_df_flag_type, Set({REG_DF_FLAG, REG_PIN_DF_FLAG}));
    IS(is_any_app_flags, flags_all + Set({REG_STATUS_FLAGS, REG_DF_FLAG})), IS(is_any_pin_flags, pin_flags), IS(is_any_flags_type, flags_all + Set({REG_STATUS_FLAGS, REG_DF_FLAG}) + pin_flags);
    IS(is_pin_flags, Set({REG_PIN_FLAGS})), IS(is_pin_status_flags, Set({REG_PIN_STATUS_FLAGS})), IS(is_pin_df_flag, Set({REG_PIN_DF_FLAG}));
    IS(is_mm, Range(REG_MM0, REG_MM7)), IS(is_xmm, xmm), IS(is_ymm, ymm), IS(is_zmm, zmm), IS(is_tmm, Range(REG_TMM0, REG_TMM7)), IS(is_xmm_ymm_zmm, xmm + ymm + zmm);
    IS(is_any_vector_reg, xmm + ymm + zmm), IS(is_avx512_hi16_xmm, Range(REG_XMM16, REG_XMM31)), IS(is_avx512_hi16_ymm, Range(REG_YMM16, REG_YMM31));
    IS(is_k_mask, k), IS(is_any_mask, k), IS(is_mxcsr, Set({REG_MXCSR})), IS(is_any_mxcsr, Set({REG_MXCSR, REG_MXCSRMASK})), IS(is_st, st);
    IS(is_pin, pin), IS(is_pin_gr, pin_gr), IS(is_pin_gpr, pin_gr), IS(is_pin_gr32, inst32), IS(is_pin_gr_half32, inst32), IS(is_inst_scratch, inst + inst32);
    IS(is_pin_inst, inst + inst32 + buffer + Set({REG_INST_COND})), IS(is_buffer, buffer), IS(is_pin_tmp, none), IS(is_pin_xmm, none), IS(is_pin_ymm, none), IS(is_pin_zmm, none), IS(is_pin_xmm_ymm_zmm, none);
    IS(is_pin_k_mask, none), IS(is_application, all - pin), IS(valid, all), IS(is_reg, all);
    Set machine = all - pin - Set({REG_STATUS_FLAGS, REG_DF_FLAG});
    IS(is_machine, machine);
}

/* What follows from others, register by register. */
static void Rest()
{
    for (int i = REG_RDI; i < REG_LAST; i++) {
        REG r = static_cast<REG>(i);
        EQUAL(REG_is_representative_reg(r), REG_FullRegName(r) == r);
        EQUAL(REG_is_pin64(r), REG_is_pin(r) && REG_Size(r) == 8);
        EQUAL(REG_valid_for_iarg_reg_value(r), REG_Size(r) <= 8);
        EQUAL(REG_is_fr_or_x87(r), REG_is_fr(r));
        EQUAL(REG_is_subclass_none(r), !REG_is_any_flags_type(r) && !REG_is_any_x87(r) && !REG_is_any_mxcsr(r));
        FALSE_(REG_is_pseudo(r) && REG_is_application(r));
        if (REG_is_fr_for_get_context(r))
            TRUE_(REG_is_fr(r) && REG_Size(r) > 8);
    }
    for (int i = 0; i < 8; i++) {
        TRUE_(REG_is_any_x87(static_cast<REG>(REG_ST0 + i)) && REG_is_fr(static_cast<REG>(REG_ST0 + i)) && REG_is_fr_for_get_context(static_cast<REG>(REG_ST0 + i)));
        EQUAL(REG_Size(static_cast<REG>(REG_ST0 + i)), 10u);
        EQUAL(REG_Width(static_cast<REG>(REG_ST0 + i)), REGWIDTH_80);
        EQUAL(REG_StringShort(static_cast<REG>(REG_ST0 + i)), "st" + decstr(i));
        EQUAL(REG_StringShort(static_cast<REG>(REG_K0 + i)), "k" + decstr(i));
    }
    static const char *const segments[] = {"cs", "ss", "ds", "es", "fs", "gs"};
    for (int i = 0; i < 6; i++)
        EQUAL(REG_StringShort(static_cast<REG>(REG_SEG_CS + i)), std::string(segments[i]));
    EQUAL(REG_StringShort(REG_RIP), std::string("rip"));
    EQUAL(REG_StringShort(REG_RFLAGS), std::string("rflags"));
    EQUAL(REG_INVALID(), REG_INVALID_);
    EQUAL(REG_AppFlags(), REG_RFLAGS);
    EQUAL(REG_FullRegName(REG_EFLAGS), REG_RFLAGS);
    EQUAL(REG_FullRegName(REG_EIP), REG_RIP);
    EQUAL(REG_get_full_flags_reg_of_type(REG_DF_FLAG), REG_RFLAGS);
    EQUAL(REG_get_full_flags_reg_of_type(REG_PIN_DF_FLAG), REG_PIN_FLAGS);
    EQUAL(REG_get_status_flags_reg_of_type(REG_RFLAGS), REG_STATUS_FLAGS);
    EQUAL(REG_get_status_flags_reg_of_type(REG_PIN_FLAGS), REG_PIN_STATUS_FLAGS);
    EQUAL(REG_get_df_flag_reg_of_type(REG_RFLAGS), REG_DF_FLAG);
    EQUAL(REG_get_df_flag_reg_of_type(REG_PIN_FLAGS), REG_PIN_DF_FLAG);
}

/* The kernel says what the CPU has. */
static bool CpuHas(const char *flag)
{
    static char line[8192];
    bool found = false;
    FILE *f = std::fopen("/proc/cpuinfo", "r");
    while (f && !found && std::fgets(line, sizeof line, f))
        found = !std::strncmp(line, "flags", 5) && std::strstr(line, flag);
    if (f)
        std::fclose(f);
    return found;
}

static void Vectors()
{
    bool avx = CpuHas(" avx "), avx512 = CpuHas(" avx512f ");
    REG base = avx512 ? REG_ZMM0 : avx ? REG_YMM0 : REG_XMM0;
    EQUAL(REG_LastSupportedXmm(), avx512 ? REG_XMM31 : REG_XMM15);
    EQUAL(REG_LastSupportedYmm(), avx512 ? REG_YMM31 : avx ? REG_YMM15 : REG_INVALID_);
    EQUAL(REG_LastSupportedZmm(), avx512 ? REG_ZMM31 : REG_INVALID_);
    for (int i = 0; i < 32; i++) {
        REG x = static_cast<REG>(REG_XMM0 + i), y = static_cast<REG>(REG_YMM0 + i), z = static_cast<REG>(REG_ZMM0 + i);
        EQUAL(REG_Size(x), 16u);
        EQUAL(REG_Size(y), 32u);
        EQUAL(REG_Size(z), 64u);
        EQUAL(REG_StringShort(y), "ymm" + decstr(i));
        EQUAL(REG_corresponding_ymm_reg(x), y);
        EQUAL(REG_corresponding_zmm_reg(x), z);
        EQUAL(REG_corresponding_zmm_reg(y), z);
        EQUAL(REG_FullRegName(x), static_cast<REG>(base + i));
    }
    EQUAL(REG_corresponding_ymm_reg(REG_RAX), REG_INVALID_);
}

/* st(0) = 1.5 and st(1) = 0 with the top at 6, all others empty: physical 6 is valid (0), 7 zero (1), the others 3. */
static void Tags()
{
    FXSAVE f;
    std::memset(&f, 0, sizeof f);
    f._fsw = 6 << 11;
    f._ftw = 0xc0;
    f._sts[0]._fp._significand = 0xc000000000000000ull;
    f._sts[0]._fp._exponent = 0x3fff;
    EQUAL(REG_ConvertX87AbridgedTagToFull(&f), 0x4fffu);
    EQUAL(unsigned(REG_ConvertX87FullTagToAbridged(0x4fff)), 0xc0u);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    Families();
    Questions();
    Rest();
    Vectors();
    Tags();
    Checked("registers", 25000);
    std::exit(0); /* it wants no program */
}
