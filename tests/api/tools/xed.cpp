/* SPDX-License-Identifier: Apache-2.0
 * XED's functions on instructions whose bytes and meaning are known, and on those of the guest (INS_XedDec). Rules A49, A50. */
#include "checks.h"

static xed_state_t mode64;

static xed_decoded_inst_t Decode(const char *bytes, unsigned n)
{
    xed_decoded_inst_t d;
    xed_decoded_inst_zero_set_mode(&d, &mode64);
    EQUAL(int(xed_decode(&d, reinterpret_cast<const xed_uint8_t *>(bytes), n)), int(XED_ERROR_NONE));
    return d;
}
#define DECODE(bytes) Decode(bytes, sizeof bytes - 1)

static std::string Text(const xed_decoded_inst_t &d)
{
    char out[100];
    return xed_format_context(XED_SYNTAX_INTEL, &d, out, sizeof out, 0x1000, 0, 0) ? out : "?";
}

/* lock add qword ptr [rbx+rcx*8+0x10], rax */
static void Add()
{
    xed_decoded_inst_t d = DECODE("\xf0\x48\x01\x44\xcb\x10");
    const xed_inst_t *inst = xed_decoded_inst_inst(&d);
    EQUAL(xed_decoded_inst_get_length(&d), 6u);
    EQUAL(int(xed_decoded_inst_get_iclass(&d)), int(XED_ICLASS_ADD_LOCK));
    EQUAL(int(xed_decoded_inst_get_category(&d)), int(XED_CATEGORY_BINARY));
    EQUAL(int(xed_decoded_inst_get_extension(&d)), int(XED_EXTENSION_BASE));
    EQUAL(int(xed_decoded_inst_get_base_reg(&d, 0)), int(XED_REG_RBX));
    EQUAL(int(xed_decoded_inst_get_index_reg(&d, 0)), int(XED_REG_RCX));
    EQUAL(xed_decoded_inst_get_memory_displacement(&d, 0), 0x10);
    EQUAL(xed_decoded_inst_get_memory_displacement_width(&d, 0), 1u);
    EQUAL(xed_decoded_inst_get_memory_operand_length(&d, 0), 8u);
    EQUAL(int(xed_decoded_inst_get_reg(&d, XED_OPERAND_REG0)), int(XED_REG_RAX));
    TRUE_(xed_decoded_inst_get_attribute(&d, XED_ATTRIBUTE_LOCKED));
    TRUE_(xed_inst_get_attribute(inst, XED_ATTRIBUTE_LOCKED));
    FALSE_(xed_decoded_inst_is_prefetch(&d));
    EQUAL(xed_inst_noperands(inst), 3u); /* memory, register, flags */
    const xed_operand_t *memory = xed_inst_operand(inst, 0), *reg = xed_inst_operand(inst, 1);
    EQUAL(int(xed_operand_name(memory)), int(XED_OPERAND_MEM0));
    EQUAL(int(xed_operand_name(reg)), int(XED_OPERAND_REG0));
    FALSE_(xed_operand_is_register(xed_operand_name(memory)));
    TRUE_(xed_operand_is_register(xed_operand_name(reg)));
    TRUE_(xed_operand_read(memory) && xed_operand_written(memory) && xed_operand_read(reg) && !xed_operand_written(reg));
    EQUAL(xed_decoded_inst_operand_length(&d, 0), 8u);
    EQUAL(Text(d), std::string("lock add qword ptr [rbx+rcx*8+0x10], rax"));
    char small[8];
    FALSE_(xed_format_context(XED_SYNTAX_INTEL, &d, small, sizeof small, 0, 0, 0));
    char out[100];
    TRUE_(xed_decoded_inst_dump_intel_format(&d, out, sizeof out, 0));
    EQUAL(std::string(out), Text(d));
}

static void ByName()
{
    EQUAL(int(str2xed_iclass_enum_t("ADD_LOCK")), int(XED_ICLASS_ADD_LOCK));
    EQUAL(int(str2xed_reg_enum_t("RBX")), int(XED_REG_RBX));
    EQUAL(int(str2xed_category_enum_t("BINARY")), int(XED_CATEGORY_BINARY));
    EQUAL(int(str2xed_extension_enum_t("BASE")), int(XED_EXTENSION_BASE));
    EQUAL(int(str2xed_iclass_enum_t("NOTHING_OF_THE_KIND")), int(XED_ICLASS_INVALID));
}

static void Others()
{
    xed_decoded_inst_t d = DECODE("\x0f\x18\x08"); /* prefetcht0 [rax] */
    TRUE_(xed_decoded_inst_is_prefetch(&d));
    TRUE_(xed_decoded_inst_get_attribute(&d, XED_ATTRIBUTE_PREFETCH));
    d = DECODE("\x0f\x58\xc1"); /* addps xmm0, xmm1 */
    EQUAL(xed_decoded_inst_operand_element_size_bits(&d, 0), 32u);
    EQUAL(xed_decoded_inst_operand_length(&d, 1), 16u);
    EQUAL(int(xed_decoded_inst_get_extension(&d)), int(XED_EXTENSION_SSE));
    d = DECODE("\x83\xc0\xfe"); /* add eax, -2 */
    TRUE_(xed_decoded_inst_get_immediate_is_signed(&d));
    d = DECODE("\xcd\x80"); /* int 0x80 */
    FALSE_(xed_decoded_inst_get_immediate_is_signed(&d));
    d = DECODE("\xb8\x03\x00\x00\x00"); /* mov eax, 3, and the form in which it would be extended */
    FALSE_(xed_decoded_inst_get_immediate_is_signed(&d));
    d = DECODE("\x48\xc7\xc0\x03\x00\x00\x00");
    TRUE_(xed_decoded_inst_get_immediate_is_signed(&d));
    /* Two ways to write the same class are two forms, with names that begin with the class; the same way is the same form. */
    xed_decoded_inst_t load = DECODE("\x8b\x03"), store = DECODE("\x89\x03"), again = DECODE("\x8b\x49\x08"), byte = DECODE("\x8a\x03");
    EQUAL(std::string(xed_iform_enum_t2str(xed_decoded_inst_get_iform_enum(&load))), std::string("MOV_GPRv_MEMv"));
    EQUAL(std::string(xed_iform_enum_t2str(xed_decoded_inst_get_iform_enum(&store))), std::string("MOV_MEMv_GPRv"));
    EQUAL(std::string(xed_iform_enum_t2str(xed_decoded_inst_get_iform_enum(&byte))), std::string("MOV_GPR8_MEMb"));
    d = DECODE("\x48\x89\xc3"); /* mov rbx, rax */
    EQUAL(std::string(xed_iform_enum_t2str(xed_decoded_inst_get_iform_enum(&d))), std::string("MOV_GPRv_GPRv_89"));
    EQUAL(int(xed_decoded_inst_get_iform_enum(&again)), int(xed_decoded_inst_get_iform_enum(&load)));
    TRUE_(xed_decoded_inst_get_iform_enum(&store) != xed_decoded_inst_get_iform_enum(&load));
}

static const xed_operand_values_t *Values(xed_decoded_inst_t *d) { return xed_decoded_inst_operands_const(d); }

/* The same instruction as a set of values: numbers from XED itself. */
static void OperandValues()
{
    xed_decoded_inst_t d = DECODE("\xf3\x48\xa5"); /* rep movsq */
    TRUE_(xed_operand_values_has_real_rep(Values(&d)) && xed_operand_values_has_rep_prefix(Values(&d)) && !xed_operand_values_has_repne_prefix(Values(&d)));
    EQUAL(xed_operand_values_number_of_memory_operands(Values(&d)), 2u);
    EQUAL(int(xed_operand_values_get_base_reg(Values(&d), 1)), int(XED_REG_RSI));
    d = DECODE("\xf0\x64\x48\x81\x44\x8b\xf0\x00\x00\x00\x80"); /* lock add qword ptr fs:[rbx+rcx*4-0x10], -0x80000000 */
    TRUE_(xed_operand_values_has_lock_prefix(Values(&d)) && xed_operand_values_get_atomic(Values(&d)) && !xed_operand_values_has_66_prefix(Values(&d)));
    EQUAL(int(xed_operand_values_segment_prefix(Values(&d))), int(XED_REG_FS));
    EQUAL(xed_operand_values_get_scale(Values(&d)), 4u);
    EQUAL(xed_operand_values_get_memory_displacement_int64(Values(&d)), -16);
    EQUAL(xed_operand_values_get_memory_displacement_length(Values(&d)), 1u);
    EQUAL(xed_operand_values_get_immediate_int64(Values(&d)), -0x80000000l);
    EQUAL(xed_operand_values_get_immediate_uint64(Values(&d)), 0x80000000ul);
    TRUE_(xed_operand_values_get_immediate_is_signed(Values(&d)) && xed_operand_values_has_displacement(Values(&d)));
    d = DECODE("\x0f\x84\x00\xff\xff\xff"); /* je -0x100 */
    TRUE_(xed_operand_values_has_branch_displacement(Values(&d)) && !xed_operand_values_accesses_memory(Values(&d)) && !xed_operand_values_has_immediate(Values(&d)));
    EQUAL(xed_operand_values_get_branch_displacement_int64(Values(&d)), -256);
    d = DECODE("\x80\xc9\x81"); /* or cl, 0x81: a sign in XED's table, and none for and, or for or with al */
    TRUE_(xed_decoded_inst_get_immediate_is_signed(&d));
    d = DECODE("\x80\xe1\x81");
    FALSE_(xed_decoded_inst_get_immediate_is_signed(&d));
    d = DECODE("\x0c\x81");
    FALSE_(xed_decoded_inst_get_immediate_is_signed(&d));
    d = DECODE("\x24\x81");
    TRUE_(xed_decoded_inst_get_immediate_is_signed(&d));
    d = DECODE("\x66\x90"); /* two ways to do nothing, and one that clears the upper half of a register */
    TRUE_(xed_operand_values_is_nop(Values(&d)));
    d = DECODE("\x48\x87\xc0");
    TRUE_(xed_operand_values_is_nop(Values(&d)));
    d = DECODE("\x87\xc0");
    FALSE_(xed_operand_values_is_nop(Values(&d)));
}

/* From XED's first to its last register of a kind there are those of that kind. */
#define KIND(kind, n, cls) Kind(XED_REG_##kind##_FIRST, XED_REG_##kind##_LAST, n, XED_REG_CLASS_##cls)
static void Kind(xed_reg_enum_t first, xed_reg_enum_t last, int n, xed_reg_class_enum_t cls)
{
    EQUAL(last - first + 1, n);
    for (int r = first; r <= last; r++)
        EQUAL(int(xed_reg_class(xed_reg_enum_t(r))), int(cls));
}

static void Kinds()
{
    KIND(GPR8, 20, GPR), KIND(GPR8h, 4, GPR), KIND(GPR16, 16, GPR), KIND(GPR32, 16, GPR), KIND(GPR64, 16, GPR), KIND(IP, 3, IP), KIND(FLAGS, 3, FLAGS);
    KIND(X87, 8, X87), KIND(MMX, 8, MMX), KIND(XMM, 32, XMM), KIND(YMM, 32, YMM), KIND(ZMM, 32, ZMM), KIND(MASK, 8, MASK), KIND(SR, 6, SR), KIND(CR, 16, CR);
    KIND(DR, 8, DR), KIND(BOUND, 4, BOUND), KIND(TREG, 8, TREG), KIND(MXCSR, 1, MXCSR);
    EQUAL(int(xed_reg_class(XED_REG_R31)), int(XED_REG_CLASS_GPR));
    EQUAL(std::string(xed_reg_enum_t2str(XED_REG_R31)), std::string("R31"));
    EQUAL(int(str2xed_iclass_enum_t("CMPBEXADD")), int(XED_ICLASS_CMPBEXADD)); /* newer than the decoder */
    EQUAL(int(str2xed_extension_enum_t("APXEVEX")), int(XED_EXTENSION_APXEVEX));
    EQUAL(int(str2xed_category_enum_t("FRED")), int(XED_CATEGORY_FRED));
}

static void Names()
{
    EQUAL(std::string(xed_iclass_enum_t2str(XED_ICLASS_CALL_NEAR)), std::string("CALL_NEAR"));
    EQUAL(std::string(xed_extension_enum_t2str(XED_EXTENSION_AVX2)), std::string("AVX2"));
    EQUAL(int(xed_reg_class(XED_REG_XMM3)), int(XED_REG_CLASS_XMM));
    EQUAL(int(xed_reg_class(XED_REG_R8D)), int(XED_REG_CLASS_GPR));
    EQUAL(int(xed_get_largest_enclosing_register(XED_REG_AH)), int(XED_REG_RAX));
    EQUAL(INS_XedExactMapToPinReg(XED_REG_R9W), REG_R9W);
    EQUAL(int(INS_XedExactMapFromPinReg(REG_SEG_GS)), int(XED_REG_GS));
    for (int r = REG_RDI; r <= REG_R15D; r++) {
        xed_reg_enum_t x = INS_XedExactMapFromPinReg(static_cast<REG>(r));
        EQUAL(INS_XedExactMapToPinReg(x), static_cast<REG>(r));
    }
}

static void Modes()
{
    xed_state_t mode;
    xed_state_zero(&mode);
    xed_state_init(&mode, XED_MACHINE_MODE_LEGACY_32, XED_ADDRESS_WIDTH_32b, XED_ADDRESS_WIDTH_32b);
    xed_decoded_inst_t d;
    xed_decoded_inst_zero_set_mode(&d, &mode);
    const xed_uint8_t inc[] = {0x40}, half[] = {0x48, 0x01};
    EQUAL(int(xed_decode(&d, inc, 1)), int(XED_ERROR_NONE));
    EQUAL(int(xed_decoded_inst_get_iclass(&d)), int(XED_ICLASS_INC)); /* a prefix in 64-bit mode */
    xed_decoded_inst_zero_set_mode(&d, &mode64);
    EQUAL(int(xed_decode(&d, half, 2)), int(XED_ERROR_BUFFER_TOO_SHORT));
    xed_decode_cache_entry_t entries[16];
    xed_decode_cache_t cache;
    xed_decode_cache_initialize(&cache, entries, 16);
    for (int i = 0; i < 3; i++) {
        xed_decoded_inst_zero_set_mode(&d, &mode64);
        EQUAL(int(xed_decode_cache(&d, reinterpret_cast<const xed_uint8_t *>("\x90"), 1, &cache)), int(XED_ERROR_NONE));
        EQUAL(int(xed_decoded_inst_get_iclass(&d)), int(XED_ICLASS_NOP));
    }
}

static unsigned seen, decoded;
static VOID BeforeDecode(xed_decoded_inst_t *d)
{
    decoded++;
    xed3_operand_set_cldemote(d, 1);
}

/* An instruction that XED knows only when it is asked for. */
static VOID Feature()
{
    static const xed_uint8_t bytes[] = {0x0f, 0x1c, 0x00};
    xed_state_t state;
    xed_decoded_inst_t d;
    xed_state_init2(&state, XED_MACHINE_MODE_LONG_64, XED_ADDRESS_WIDTH_64b);
    xed_decoded_inst_zero_set_mode(&d, &state);
    xed3_operand_set_cldemote(&d, 1);
    EQUAL(int(xed_decode(&d, bytes, sizeof bytes)), int(XED_ERROR_NONE));
    EQUAL(int(xed_decoded_inst_get_iclass(&d)), int(XED_ICLASS_CLDEMOTE));
}

/* The guest: mov $60, %eax; xor %edi, %edi; syscall */
static VOID Instruction(INS ins, VOID *)
{
    static const int iclass[] = {XED_ICLASS_MOV, XED_ICLASS_XOR, XED_ICLASS_SYSCALL};
    if (INS_Address(ins) >= at("at_end"))
        return;
    xed_decoded_inst_t *d = INS_XedDec(ins);
    EQUAL(int(xed_decoded_inst_get_iclass(d)), seen < 3 ? iclass[seen] : -1);
    EQUAL(xed_decoded_inst_get_length(d), UINT32(INS_Size(ins)));
    EQUAL(INS_Opcode(ins), OPCODE(xed_decoded_inst_get_iclass(d)));
    EQUAL(Text(*d), INS_Disassemble(ins));
    for (UINT32 i = 0; i < INS_OperandCount(ins); i++)
        EQUAL(INS_OperandNameId(ins, i), UINT32(xed_operand_name(xed_inst_operand(xed_decoded_inst_inst(d), i))));
    seen++;
}

static VOID Fini(INT32, VOID *)
{
    EQUAL(seen, 3u);
    EQUAL(decoded, 3u);
    Checked("xed", 100);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    xed_tables_init();
    xed_state_init(&mode64, XED_MACHINE_MODE_LONG_64, XED_ADDRESS_WIDTH_64b, XED_ADDRESS_WIDTH_64b);
    Add();
    ByName();
    Others();
    Names();
    Kinds();
    OperandValues();
    Modes();
    Feature();
    PIN_AddXedDecodeCallbackFunction(BeforeDecode);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
