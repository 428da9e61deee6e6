/* SPDX-License-Identifier: Apache-2.0
 * xed-more.h on instructions whose bytes are known: states, actions, names, repeated forms, and what is read from the bytes. */
#include "checks.h"

static xed_decoded_inst_t Decode(xed_machine_mode_enum_t mode, const char *bytes, unsigned n)
{
    xed_decoded_inst_t d;
    xed_state_t state;
    xed_state_init2(&state, mode, mode == XED_MACHINE_MODE_LONG_64 ? XED_ADDRESS_WIDTH_64b : XED_ADDRESS_WIDTH_32b);
    xed_decoded_inst_zero_set_mode(&d, &state);
    EQUAL(int(xed_decode(&d, reinterpret_cast<const xed_uint8_t *>(bytes), n)), int(XED_ERROR_NONE));
    return d;
}
#define DECODE(bytes) Decode(XED_MACHINE_MODE_LONG_64, bytes, sizeof bytes - 1)
#define DECODE32(bytes) Decode(XED_MACHINE_MODE_LEGACY_32, bytes, sizeof bytes - 1)

static VOID States()
{
    static const struct {
        xed_machine_mode_enum_t mode;
        xed_address_width_enum_t width;
        bool real;
    } rows[] = {{XED_MACHINE_MODE_LONG_64, XED_ADDRESS_WIDTH_64b, false},    {XED_MACHINE_MODE_LONG_COMPAT_32, XED_ADDRESS_WIDTH_32b, false}, {XED_MACHINE_MODE_LONG_COMPAT_16, XED_ADDRESS_WIDTH_16b, false},
                {XED_MACHINE_MODE_LEGACY_32, XED_ADDRESS_WIDTH_32b, false}, {XED_MACHINE_MODE_LEGACY_16, XED_ADDRESS_WIDTH_16b, false},     {XED_MACHINE_MODE_REAL_16, XED_ADDRESS_WIDTH_16b, true},
                {XED_MACHINE_MODE_REAL_32, XED_ADDRESS_WIDTH_32b, true}};
    for (const auto &r : rows) {
        xed_state_t s;
        xed_state_init2(&s, r.mode, XED_ADDRESS_WIDTH_32b);
        EQUAL(int(xed_state_get_address_width(&s)), int(r.width));
        EQUAL(bool(xed_state_long64_mode(&s)), r.mode == XED_MACHINE_MODE_LONG_64);
        EQUAL(bool(xed_state_real_mode(&s)), r.real);
        EQUAL(bool(xed_state_mode_width_16(&s)), r.width == XED_ADDRESS_WIDTH_16b);
        EQUAL(bool(xed_state_mode_width_32(&s)), r.width == XED_ADDRESS_WIDTH_32b);
        xed_state_set_stack_address_width(&s, XED_ADDRESS_WIDTH_16b);
        EQUAL(int(xed_state_get_stack_address_width(&s)), int(XED_ADDRESS_WIDTH_16b));
    }
}

/* read, written, read only if, written only if */
static VOID Actions()
{
    static const struct {
        xed_operand_action_enum_t action;
        bool reads, writes, reads_if, writes_if;
    } rows[] = {{XED_OPERAND_ACTION_RW, true, true, false, false}, {XED_OPERAND_ACTION_R, true, false, false, false},  {XED_OPERAND_ACTION_W, false, true, false, false}, {XED_OPERAND_ACTION_RCW, true, true, false, true},
                {XED_OPERAND_ACTION_CW, false, true, false, true}, {XED_OPERAND_ACTION_CRW, true, true, true, false}, {XED_OPERAND_ACTION_CR, true, false, true, false}};
    for (const auto &r : rows) {
        EQUAL(bool(xed_operand_action_read(r.action)), r.reads);
        EQUAL(bool(xed_operand_action_written(r.action)), r.writes);
        EQUAL(bool(xed_operand_action_read_only(r.action)), r.reads && !r.writes);
        EQUAL(bool(xed_operand_action_written_only(r.action)), r.writes && !r.reads);
        EQUAL(bool(xed_operand_action_read_and_written(r.action)), r.reads && r.writes);
        EQUAL(bool(xed_operand_action_conditional_read(r.action)), r.reads_if);
        EQUAL(bool(xed_operand_action_conditional_write(r.action)), r.writes_if);
    }
}

/* Every member has a name, by which it is found again. */
#define NAMES(type) \
    for (int v = 0; v < int(type##_enum_t_last()); v++) \
        if (std::string(type##_enum_t2str(type##_enum_t(v))) != "???") \
            EQUAL(int(str2##type##_enum_t(type##_enum_t2str(type##_enum_t(v)))), v)

static VOID Names()
{
    NAMES(xed_machine_mode);
    NAMES(xed_address_width);
    NAMES(xed_syntax);
    NAMES(xed_operand_visibility);
    NAMES(xed_operand_action);
    NAMES(xed_operand_element_type);
    NAMES(xed_reg_class);
    NAMES(xed_attribute);
    NAMES(xed_chip);
    NAMES(xed_error);
    NAMES(xed_operand);
    EQUAL(std::string(xed_operand_action_enum_t2str(XED_OPERAND_ACTION_RCW)), std::string("RCW"));
    EQUAL(std::string(xed_operand_visibility_enum_t2str(XED_OPVIS_SUPPRESSED)), std::string("SUPPRESSED"));
    EQUAL(std::string(xed_machine_mode_enum_t2str(XED_MACHINE_MODE_LONG_64)), std::string("LONG_64"));
    EQUAL(std::string(xed_address_width_enum_t2str(XED_ADDRESS_WIDTH_16b)), std::string("16b"));
    EQUAL(std::string(xed_syntax_enum_t2str(XED_SYNTAX_INTEL)), std::string("INTEL"));
    EQUAL(std::string(xed_chip_enum_t2str(XED_CHIP_ALL)), std::string("ALL"));
    EQUAL(int(str2xed_operand_enum_t("MEM0")), int(XED_OPERAND_MEM0));
    EQUAL(int(str2xed_operand_enum_t("no such")), 0);
    EQUAL(int(xed_syntax_enum_t_last()), int(XED_SYNTAX_LAST));
}

static VOID Repeated()
{
    EQUAL(int(xed_rep_map(XED_ICLASS_MOVSB)), int(XED_ICLASS_REP_MOVSB));
    EQUAL(int(xed_repe_map(XED_ICLASS_CMPSB)), int(XED_ICLASS_REPE_CMPSB));
    EQUAL(int(xed_repne_map(XED_ICLASS_SCASD)), int(XED_ICLASS_REPNE_SCASD));
    EQUAL(int(xed_rep_map(XED_ICLASS_CMPSB)), int(XED_ICLASS_INVALID));
    EQUAL(int(xed_repne_map(XED_ICLASS_ADD)), int(XED_ICLASS_INVALID));
    EQUAL(int(xed_rep_remove(XED_ICLASS_REPNE_SCASD)), int(XED_ICLASS_SCASD));
    EQUAL(int(xed_rep_remove(XED_ICLASS_REP_MOVSB)), int(XED_ICLASS_MOVSB));
    EQUAL(int(xed_rep_remove(XED_ICLASS_MOVSB)), int(XED_ICLASS_INVALID));
}

/* Prefixes, REX, VEX, map, opcode, ModRM (-1: none), SIB. */
static VOID Layout(const xed_decoded_inst_t &d, UINT32 prefixes, UINT32 rex, UINT32 vex, UINT32 map, UINT32 opcode, int modrm, UINT32 sib)
{
    EQUAL(UINT32(xed3_operand_get_nprefixes(&d)), prefixes);
    EQUAL(xed_decoded_inst_get_nprefixes(&d), prefixes);
    EQUAL(xed3_operand_get_rex(&d), rex);
    EQUAL(xed3_operand_get_vexvalid(&d), vex);
    EQUAL(xed3_operand_get_map(&d), map);
    EQUAL(UINT32(xed3_operand_get_nominal_opcode(&d)), opcode);
    EQUAL(int(xed3_operand_get_has_modrm(&d)), int(modrm >= 0));
    EQUAL(xed3_operand_get_has_sib(&d), sib);
    if (modrm < 0)
        return;
    EQUAL(int(xed3_operand_get_modrm_byte(&d)), modrm);
    EQUAL(int(xed3_operand_get_mod(&d) << 6 | xed3_operand_get_reg(&d) << 3 | xed3_operand_get_rm(&d)), modrm);
}

static VOID Layouts()
{
    Layout(DECODE("\xf0\x48\x01\x44\xcb\x10"), 2, 1, 0, 0, 0x01, 0x44, 1);     // lock add [rbx+rcx*8+0x10], rax
    Layout(DECODE("\x90"), 0, 0, 0, 0, 0x90, -1, 0);                           // nop
    Layout(DECODE("\x66\x0f\x6f\xc1"), 1, 0, 0, 1, 0x6f, 0xc1, 0);             // movdqa xmm0, xmm1
    Layout(DECODE("\x66\x0f\x38\x00\x04\x24"), 1, 0, 0, 2, 0x00, 0x04, 1);     // pshufb xmm0, [rsp]
    Layout(DECODE("\x66\x0f\x3a\x0f\xc1\x04"), 1, 0, 0, 3, 0x0f, 0xc1, 0);     // palignr xmm0, xmm1, 4
    Layout(DECODE("\xc5\xf0\x58\xc2"), 0, 0, 1, 1, 0x58, 0xc2, 0);             // vaddps xmm0, xmm1, xmm2
    Layout(DECODE("\xc4\xe2\x71\x00\xc2"), 0, 0, 1, 2, 0x00, 0xc2, 0);         // vpshufb xmm0, xmm1, xmm2
    Layout(DECODE("\x62\xf1\x74\x48\x58\xc2"), 0, 0, 2, 1, 0x58, 0xc2, 0);     // vaddps zmm0, zmm1, zmm2
    Layout(DECODE("\x48\xa1\x08\x07\x06\x05\x04\x03\x02\x01"), 1, 1, 0, 0, 0xa1, -1, 0); // mov rax, [0x102030405060708]
    Layout(DECODE("\xe8\x10\x00\x00\x00"), 0, 0, 0, 0, 0xe8, -1, 0);           // call
    Layout(DECODE("\x8f\x00"), 0, 0, 0, 0, 0x8f, 0x00, 0);                     // pop [rax]
    Layout(DECODE("\xf3\xa4"), 1, 0, 0, 0, 0xa4, -1, 0);                       // rep movsb
    Layout(DECODE("\x8b\x05\x10\x00\x00\x00"), 0, 0, 0, 0, 0x8b, 0x05, 0);     // mov eax, [rip+0x10]
    Layout(DECODE("\xc7\x44\x24\x08\x01\x00\x00\x00"), 0, 0, 0, 0, 0xc7, 0x44, 1); // mov dword ptr [rsp+8], 1
    Layout(DECODE32("\x40"), 0, 0, 0, 0, 0x40, -1, 0);                         // inc eax, no REX
    Layout(DECODE32("\xc5\x08"), 0, 0, 0, 0, 0xc5, 0x08, 0);                   // lds ecx, [eax], no VEX
    Layout(DECODE32("\x67\x8b\x04"), 1, 0, 0, 0, 0x8b, 0x04, 0);               // mov eax, [si], no SIB
}

static VOID Parts()
{
    xed_decoded_inst_t d = DECODE("\xf0\x48\x01\x44\xcb\x10");
    EQUAL(int(xed3_operand_get_reg0(&d)), int(XED_REG_RAX));
    EQUAL(int(xed3_operand_get_base0(&d)), int(XED_REG_RBX));
    EQUAL(int(xed3_operand_get_index(&d)), int(XED_REG_RCX));
    EQUAL(int(xed3_operand_get_seg0(&d)), int(XED_REG_INVALID)); // as in XED, the default one of 64-bit code
    EQUAL(xed3_operand_get_scale(&d), 8u);
    EQUAL(xed3_operand_get_disp(&d), 0x10);
    EQUAL(int(xed3_operand_get_disp_width(&d)), 8);
    TRUE_(xed3_operand_get_lock(&d) && xed3_operand_get_mem0(&d) && !xed3_operand_get_mem1(&d) && !xed3_operand_get_agen(&d) && !xed3_operand_get_prefix66(&d));
    EQUAL(xed3_operand_get_mode(&d), 2u);
    d = DECODE("\x48\x8d\x04\x0a"); // lea rax, [rdx+rcx]
    TRUE_(xed3_operand_get_agen(&d) && !xed3_operand_get_mem0(&d) && !xed3_operand_get_lock(&d));
    d = DECODE("\xf2\xa6"); // repne cmpsb
    TRUE_(xed3_operand_get_mem0(&d) && xed3_operand_get_mem1(&d));
    EQUAL(xed3_operand_get_rep(&d), 2u);
    EQUAL(int(xed3_operand_get_base0(&d)) + int(xed3_operand_get_base1(&d)), int(XED_REG_RSI) + int(XED_REG_RDI));
    d = DECODE("\x66\x05\x34\x12"); // add ax, 0x1234
    TRUE_(xed3_operand_get_prefix66(&d) && !xed3_operand_get_asz(&d));
    EQUAL(int(xed3_operand_get_imm_width(&d)), 16);
    EQUAL(int(xed3_operand_get_reg0(&d)), int(XED_REG_AX));
    d = DECODE("\xe8\xf0\xff\xff\xff"); // call
    EQUAL(xed3_operand_get_disp(&d), -16);
    EQUAL(int(xed3_operand_get_brdisp_width(&d)), 32);
    EQUAL(xed3_operand_get_rep(&d), 0u);
    d = DECODE("\x64\x48\x8b\x00"); // mov rax, fs:[rax]
    EQUAL(int(xed3_operand_get_seg0(&d)), int(XED_REG_FS));
    d = DECODE("\x67\x48\x8b\x00"); // mov rax, [eax]
    TRUE_(xed3_operand_get_asz(&d));
    EQUAL(int(xed3_operand_get_base0(&d)), int(XED_REG_EAX));
    d = DECODE("\x48\x83\xc0\xff"); // add rax, -1
    EQUAL(xed3_operand_get_imm0signed(&d), 1u);
    d = DECODE32("\x40");
    EQUAL(xed3_operand_get_mode(&d), 1u);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    xed_tables_init();
    States();
    Actions();
    Names();
    Repeated();
    Layouts();
    Parts();
    Checked("xedmore", 350);
    PIN_StartProgram();
}
