/* SPDX-License-Identifier: Apache-2.0
 * Forms of instructions by name, ISA sets, chips and CPUID, against the processors' manuals; what is said of flags, against the processor itself; fields of instructions. Rule A50. */
#include "checks.h"

#include <sys/mman.h>

static xed_state_t mode64;

static xed_decoded_inst_t Decode(const char *bytes, unsigned n)
{
    xed_decoded_inst_t d;
    xed_decoded_inst_zero_set_mode(&d, &mode64);
    EQUAL(int(xed_decode(&d, reinterpret_cast<const xed_uint8_t *>(bytes), n)), int(XED_ERROR_NONE));
    return d;
}
#define DECODE(bytes) Decode(bytes, sizeof bytes - 1)

/* --- names ------------------------------------------------------------------------------------------------------ */

static void Forms()
{
    static const struct {
        const char *bytes;
        unsigned n;
        xed_iform_enum_t form;
        xed_isa_set_enum_t isa_set;
    } rows[] = {
        {"\x48\x8b\x03", 3, XED_IFORM_MOV_GPRv_MEMv, XED_ISA_SET_I86},
        {"\x83\xc0\x01", 3, XED_IFORM_ADD_GPRv_IMMb, XED_ISA_SET_I86},
        {"\x04\x01", 2, XED_IFORM_ADD_AL_IMMb, XED_ISA_SET_I86},
        {"\xf0\x01\x03", 3, XED_IFORM_ADD_LOCK_MEMv_GPRv, XED_ISA_SET_I86},
        {"\x0f\x44\xc1", 3, XED_IFORM_CMOVZ_GPRv_GPRv, XED_ISA_SET_CMOV},
        {"\x0f\x58\x03", 3, XED_IFORM_ADDPS_XMMps_MEMps, XED_ISA_SET_SSE},
        {"\xf3\x0f\xb8\xc1", 4, XED_IFORM_POPCNT_GPRv_GPRv, XED_ISA_SET_POPCNT},
        {"\xc5\xf4\x58\xc2", 4, XED_IFORM_VADDPS_YMMqq_YMMqq_YMMqq, XED_ISA_SET_AVX},
        {"\xc5\xf5\xfe\xc2", 4, XED_IFORM_VPADDD_YMMqq_YMMqq_YMMqq, XED_ISA_SET_AVX2},
        {"\x62\xf1\x6e\x08\x58\xc3", 6, XED_IFORM_VADDSS_XMMf32_MASKmskw_XMMf32_XMMf32_AVX512, XED_ISA_SET_AVX512F_SCALAR},
        {"\x62\xf1\x6c\x48\x58\xc3", 6, XED_IFORM_VADDPS_ZMMf32_MASKmskw_ZMMf32_ZMMf32_AVX512, XED_ISA_SET_AVX512F_512},
        {"\xd1\xe0", 2, XED_IFORM_SHL_GPRv_ONE_D1r4, XED_ISA_SET_I86},
        {"\x0f\xa2", 2, XED_IFORM_CPUID, XED_ISA_SET_I486REAL},
    };
    for (const auto &r : rows) {
        xed_decoded_inst_t d = Decode(r.bytes, r.n);
        EQUAL(std::string(xed_iform_enum_t2str(xed_decoded_inst_get_iform_enum(&d))), std::string(xed_iform_enum_t2str(r.form)));
        EQUAL(std::string(xed_isa_set_enum_t2str(xed_decoded_inst_get_isa_set(&d))), std::string(xed_isa_set_enum_t2str(r.isa_set)));
        EQUAL(int(str2xed_iform_enum_t(xed_iform_enum_t2str(r.form))), int(r.form));
        EQUAL(int(xed_iform_to_iclass(r.form)), int(xed_decoded_inst_get_iclass(&d)));
        EQUAL(int(xed_iform_to_category(r.form)), int(xed_decoded_inst_get_category(&d)));
        EQUAL(int(xed_iform_to_extension(r.form)), int(xed_decoded_inst_get_extension(&d)));
        EQUAL(int(d._inst->_iform_enum), int(r.form));
        EQUAL(int(xed_iform_first_per_iclass(xed_iform_to_iclass(r.form)) + xed_decoded_inst_get_iform_enum_dispatch(&d)), int(r.form));
        TRUE_(xed_decoded_inst_get_iform_enum_dispatch(&d) < xed_iform_max_per_iclass(xed_iform_to_iclass(r.form)));
    }
    EQUAL(int(XED_IFORMFL_ADD_FIRST), int(xed_iform_first_per_iclass(XED_ICLASS_ADD)));
    EQUAL(int(XED_IFORMFL_ADD_LAST - XED_IFORMFL_ADD_FIRST + 1), int(xed_iform_max_per_iclass(XED_ICLASS_ADD)));
    xed_decoded_inst_t hlt = DECODE("\xf4"), add = DECODE("\xf0\x48\x01\x03");
    EQUAL(xed_inst_cpl(xed_decoded_inst_inst(&hlt)), 0u);
    EQUAL(xed_inst_cpl(xed_decoded_inst_inst(&add)), 3u);
    TRUE_(xed_inst_get_attribute(add._inst, XED_ATTRIBUTE_LOCKED) && !xed_inst_get_attribute(add._inst, XED_ATTRIBUTE_RING0) && xed_inst_get_attribute(hlt._inst, XED_ATTRIBUTE_RING0));
    xed_attributes_t all = xed_inst_get_attributes(add._inst);
    TRUE_(all.a1 >> XED_ATTRIBUTE_LOCKED & 1);
    const xed_operand_t *reg = xed_inst_operand(add._inst, 1);
    EQUAL(std::string(xed_nonterminal_enum_t2str(xed_operand_nonterminal_name(reg))), std::string("GPRV_R"));
    EQUAL(int(xed_operand_width(reg)), int(XED_OPERAND_WIDTH_V));
    EQUAL(xed_operand_width_bits(reg, 1) + xed_operand_width_bits(reg, 2) + xed_operand_width_bits(reg, 3), 16u + 32 + 64);
    TRUE_(xed_operand_template_is_register(reg) && !xed_operand_template_is_register(xed_inst_operand(add._inst, 0)));
    EQUAL(int(xed_operand_type(reg)), int(XED_OPERAND_TYPE_NT_LOOKUP_FN));
}

/* --- processors --------------------------------------------------------------------------------------------------- */

static void Cpuid(xed_isa_set_enum_t isa_set, unsigned leaf, xed_reg_enum_t reg, unsigned bit)
{
    xed_cpuid_rec_t rec;
    xed_cpuid_group_enum_t group = xed_get_cpuid_group_enum_for_isa_set(isa_set, 0);
    TRUE_(xed_get_cpuid_rec(xed_get_cpuid_rec_enum_for_group(group, 0), &rec));
    EQUAL(rec.leaf, leaf);
    EQUAL(int(rec.reg), int(reg));
    EQUAL(unsigned(rec.bit_start), bit);
    EQUAL(rec.value, 1u);
}

static void Processors()
{
    Cpuid(XED_ISA_SET_AVX2, 7, XED_REG_EBX, 5);
    Cpuid(XED_ISA_SET_POPCNT, 1, XED_REG_ECX, 23);
    Cpuid(XED_ISA_SET_SSE2, 1, XED_REG_EDX, 26);
    Cpuid(XED_ISA_SET_BMI2, 7, XED_REG_EBX, 8);
    EQUAL(int(xed_get_cpuid_group_enum_for_isa_set(XED_ISA_SET_I86, 0)), int(XED_CPUID_GROUP_INVALID));
    TRUE_(xed_isa_set_is_valid_for_chip(XED_ISA_SET_AVX2, XED_CHIP_HASWELL) && !xed_isa_set_is_valid_for_chip(XED_ISA_SET_AVX2, XED_CHIP_SANDYBRIDGE));
    TRUE_(xed_isa_set_is_valid_for_chip(XED_ISA_SET_AVX, XED_CHIP_SANDYBRIDGE) && xed_isa_set_is_valid_for_chip(XED_ISA_SET_AVX2, XED_CHIP_ALL));
    xed_decoded_inst_t d;
    xed_decoded_inst_zero_set_mode(&d, &mode64);
    xed_decoded_inst_set_input_chip(&d, XED_CHIP_SANDYBRIDGE);
    const xed_uint8_t vpaddd[] = {0xc5, 0xf5, 0xfe, 0xc2};
    EQUAL(int(xed_decode(&d, vpaddd, sizeof vpaddd)), int(XED_ERROR_INVALID_FOR_CHIP));
    xed_chip_features_t features;
    xed_get_chip_features(&features, XED_CHIP_SANDYBRIDGE);
    xed_decoded_inst_zero_set_mode(&d, &mode64);
    EQUAL(int(xed_decode_with_features(&d, vpaddd, sizeof vpaddd, &features)), int(XED_ERROR_INVALID_FOR_CHIP));
    xed_modify_chip_features(&features, XED_ISA_SET_AVX2, 1);
    xed_decoded_inst_zero_set_mode(&d, &mode64);
    EQUAL(int(xed_decode_with_features(&d, vpaddd, sizeof vpaddd, &features)), int(XED_ERROR_NONE));
}

/* --- flags: each instruction is run here, twice with the same registers and opposite flags ------------------------- */

static const unsigned long arithmetic = 0x8d5; /* of, sf, zf, af, pf, cf */

struct Run { unsigned long rax, rdx, rcx, flags; };

static Run RunOnce(const unsigned char *code, unsigned long a, unsigned long d, unsigned long c, unsigned long flags)
{
    Run r = {a, d, c, flags};
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpush %3\n\tpopfq\n\tcall *%4\n\tpushfq\n\tpop %3\n\tlea 128(%%rsp), %%rsp" : "+a"(r.rax), "+d"(r.rdx), "+c"(r.rcx), "+r"(r.flags) : "r"(code) : "memory", "cc");
    return r;
}

static void Flag(unsigned char *code, const char *bytes, unsigned n)
{
    static const unsigned long values[] = {0, 1, 2, 0x7f, 0x80, 0x8000000000000000, ~0ul, 0x123456789abcdef0};
    xed_decoded_inst_t d = Decode(bytes, n);
    const xed_simple_flag_t *said = xed_decoded_inst_get_rflags_info(&d);
    unsigned long read = said ? xed_flag_set_mask(xed_simple_flag_get_read_flag_set(said)) : 0, written = said ? xed_flag_set_mask(xed_simple_flag_get_written_flag_set(said)) : 0;
    unsigned long undefined = said ? xed_flag_set_mask(xed_simple_flag_get_undefined_flag_set(said)) : 0, changed = 0;
    bool may = said && xed_simple_flag_get_may_write(said);
    memcpy(code, bytes, n);
    code[n] = 0xc3;
    for (unsigned long a : values)
        for (unsigned long c : values) {
            Run off = RunOnce(code, a, 3, c, 0x202), on = RunOnce(code, a, 3, c, 0x202 | arithmetic);
            bool same = off.rax == on.rax && off.rdx == on.rdx && off.rcx == on.rcx;
            if (!(read & arithmetic))
                TRUE_(same);
            changed |= (off.flags & arithmetic) | (~on.flags & arithmetic);
            if (!(read & arithmetic) && !may)
                EQUAL((off.flags ^ on.flags) & written & ~undefined & arithmetic, 0ul);      /* what it sets, it sets from its operands */
        }
    EQUAL(changed & ~written & arithmetic, 0ul); /* what it has changed it is said to write, and the other way round */
    EQUAL(changed & written & ~undefined & arithmetic, written & ~undefined & arithmetic);
}
#define FLAG(bytes) Flag(code, bytes, sizeof bytes - 1)

static void Flags()
{
    unsigned char *code = static_cast<unsigned char *>(mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    FLAG("\x48\x01\xc8"), FLAG("\x48\x29\xc8"), FLAG("\x48\x11\xc8"), FLAG("\x48\x19\xc8"), FLAG("\x48\x21\xc8"), FLAG("\x48\x09\xc8"), FLAG("\x48\x31\xc8"); /* add sub adc sbb and or xor */
    FLAG("\x48\x39\xc8"), FLAG("\x48\x85\xc8"), FLAG("\x48\xf7\xd8"), FLAG("\x48\xf7\xd0"), FLAG("\x48\xff\xc0"), FLAG("\x48\xff\xc8");                         /* cmp test neg not inc dec */
    FLAG("\x48\xf7\xe1"), FLAG("\x48\xf7\xe9"), FLAG("\x48\x0f\xaf\xc1"), FLAG("\x48\x0f\xa3\xc8"), FLAG("\x48\x0f\xab\xc8");                                     /* mul imul imul bt bts */
    FLAG("\x48\xd1\xe0"), FLAG("\x48\xc1\xe0\x03"), FLAG("\x48\xd1\xf8"), FLAG("\x48\xc1\xe8\x05"), FLAG("\x48\xd1\xc0"), FLAG("\x48\xd1\xd0");                   /* shl sar shr rol rcl */
    FLAG("\xf9"), FLAG("\xf8"), FLAG("\xf5"), FLAG("\x9e"), FLAG("\x9f"), FLAG("\x0f\x94\xc0"), FLAG("\x48\x0f\x42\xc1"), FLAG("\x48\x0f\x4f\xc1");             /* stc clc cmc sahf lahf setz cmovb cmovnle */
    FLAG("\x48\x8d\x04\x08"), FLAG("\x48\x89\xc8"), FLAG("\x48\x0f\xc8"), FLAG("\x48\x0f\xc1\xc8"), FLAG("\x48\x0f\xb1\xca"), FLAG("\x48\x98");                   /* lea mov bswap xadd cmpxchg cdqe */
    munmap(code, 4096);
    xed_decoded_inst_t shift = DECODE("\x48\xc1\xe0\x00"), adc = DECODE("\x48\x11\xc8"), lea = DECODE("\x48\x8d\x04\x08");
    TRUE_(!xed_decoded_inst_uses_rflags(&shift) && xed_decoded_inst_uses_rflags(&adc) && !xed_decoded_inst_uses_rflags(&lea)); /* a shift by nothing leaves the flags */
    const xed_simple_flag_t *said = xed_decoded_inst_get_rflags_info(&adc);
    TRUE_(said->read.s.cf && !said->read.s.zf && said->written.s.of && xed_simple_flag_get_must_write(said) && xed_simple_flag_reads_flags(said) && xed_simple_flag_writes_flags(said));
    bool tested = false;
    for (unsigned i = 0; i < xed_simple_flag_get_nflags(said); i++) {
        const xed_flag_action_t *a = xed_simple_flag_get_flag_action(said, i);
        tested |= xed_flag_action_get_flag_name(a) == XED_FLAG_cf && xed_flag_action_get_action(a, 0) == XED_FLAG_ACTION_tst;
    }
    TRUE_(tested);
}

/* --- fields ------------------------------------------------------------------------------------------------------------- */

static void Fields()
{
    xed_decoded_inst_t d = DECODE("\x62\xf1\x6c\xdb\x58\x4c\x8b\x01"); /* vaddps zmm1{k3}{z}, zmm2, dword ptr [rbx+rcx*4+4]{1to16} */
    EQUAL(xed3_operand_get_vexvalid(&d), 2u);
    EQUAL(xed3_operand_get_vl(&d), 2u);
    EQUAL(xed3_operand_get_mask(&d), 3u);
    TRUE_(xed3_operand_get_zeroing(&d) && xed3_operand_get_bcrc(&d) && xed3_operand_get_has_sib(&d));
    EQUAL(xed_decoded_inst_get_memory_displacement(&d, 0), 4);
    EQUAL(int(xed3_operand_get_reg1(&d)), int(XED_REG_K3));
    d = DECODE("\x66\x45\x0f\xb6\xc1"); /* movzx r8w, r9b */
    TRUE_(xed3_operand_get_rex(&d) && xed3_operand_get_rexr(&d) && xed3_operand_get_rexb(&d) && !xed3_operand_get_rexw(&d) && xed3_operand_get_osz(&d));
    EQUAL(xed3_operand_get_eosz(&d), 1u);
    EQUAL(xed3_operand_get_easz(&d), 3u);
    EQUAL(unsigned(xed3_operand_get_pos_modrm(&d)), 4u);
    EQUAL(unsigned(xed3_operand_get_nominal_opcode(&d)), 0xb6u);
    xed3_operand_set_reg0(&d, XED_REG_R10W);
    EQUAL(int(xed_decoded_inst_get_reg(&d, XED_OPERAND_REG0)), int(XED_REG_R10W));
    xed_decoded_inst_t copy = d;
    EQUAL(int(xed3_operand_get_reg0(&copy)), int(XED_REG_R10W));
    EQUAL(int(copy._inst->_iform_enum), int(XED_IFORM_MOVZX_GPRv_GPR8));
}

/* --- addresses ------------------------------------------------------------------------------------------------------ */

static xed_uint64_t Register(xed_reg_enum_t reg, void *context, xed_bool_t *error)
{
    *error = reg == XED_REG_R15;
    return *static_cast<xed_uint64_t *>(context) + (reg == XED_REG_RCX || reg == XED_REG_ECX ? 3 : 0);
}

static xed_uint64_t Segment(xed_reg_enum_t reg, void *, xed_bool_t *) { return reg == XED_REG_FS ? 0x500000 : 0x700000; }

static xed_uint64_t Address(xed_decoded_inst_t d, xed_uint64_t value, unsigned n = 0)
{
    xed_uint64_t at = 0;
    EQUAL(int(xed_agen(&d, n, &value, &at)), int(XED_ERROR_NONE));
    return at;
}

static void Addresses()
{
    xed_decoded_inst_t simple = DECODE("\x8b\x03"), wrong = DECODE("\x41\x8b\x07"), copy = DECODE("\xa4");
    xed_uint64_t value = 0, at = 0;
    EQUAL(int(xed_agen(&simple, 0, &value, &at)), int(XED_ERROR_NO_AGEN_CALL_BACK_REGISTERED));
    xed_agen_register_callback(Register, Segment);
    EQUAL(int(xed_agen(&simple, 0, &value, NULL)), int(XED_ERROR_NO_OUTPUT_POINTER));
    EQUAL(int(xed_agen(&simple, 1, &value, &at)), int(XED_ERROR_BAD_MEMOP_INDEX));
    EQUAL(int(xed_agen(&wrong, 0, &value, &at)), int(XED_ERROR_CALLBACK_PROBLEM));
    EQUAL(Address(simple, 0xffff800000001000), 0xffff800000001000);                                  // mov (%rbx), %eax
    EQUAL(Address(DECODE("\x8b\x44\x8b\xf8"), 0x1000), 0x1000u + 4 * 0x1003 - 8);                    // mov -8(%rbx,%rcx,4), %eax
    EQUAL(Address(DECODE("\x67\x8b\x44\x8b\xf8"), 0xfffffff0), ((0xfffffff0 + 4 * 0xfffffff3u - 8)) & 0xffffffffu); // the same by %ebx and %ecx
    EQUAL(Address(DECODE("\x8b\x05\x10\x00\x00\x00"), 0x400006), 0x400016u);                        // mov 16(%rip), %eax
    EQUAL(Address(DECODE("\x64\x8b\x03"), 0x10), 0x500010u);                                         // mov %fs:(%rbx), %eax
    EQUAL(Address(DECODE("\x2e\x8b\x03"), 0x10), 0x10u);                                             // of the others the base is 0
    EQUAL(Address(copy, 0x2000) + Address(copy, 0x2000, 1), 0x4000u);                                // movsb: (%rdi) and (%rsi)
    EQUAL(Address(DECODE("\x50"), 0x7000), 0x7000u);                                                 // push %rax: (%rsp), as XED has it
    xed_state_t mode32;
    xed_state_init(&mode32, XED_MACHINE_MODE_LEGACY_32, XED_ADDRESS_WIDTH_32b, XED_ADDRESS_WIDTH_32b);
    xed_decoded_inst_t narrow;
    xed_decoded_inst_zero_set_mode(&narrow, &mode32);
    EQUAL(int(xed_ild_decode(&narrow, reinterpret_cast<const xed_uint8_t *>("\x8b\x03\x90"), 3)), int(XED_ERROR_NONE));
    EQUAL(xed_decoded_inst_get_length(&narrow), 2u);
    EQUAL(Address(narrow, 0xffffffff), 0x6fffffu); // mov %ds:(%ebx), %eax wraps
    EQUAL(xed_decoded_inst_get_memop_address_width(&narrow, 0) + xed_decoded_inst_get_memop_address_width(&simple, 0), 32u + 64);
}

static VOID Fini(INT32, VOID *) { Checked("xedforms", 100); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    xed_tables_init();
    xed_state_init(&mode64, XED_MACHINE_MODE_LONG_64, XED_ADDRESS_WIDTH_64b, XED_ADDRESS_WIDTH_64b);
    Forms();
    Processors();
    Flags();
    Fields();
    Addresses();
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
