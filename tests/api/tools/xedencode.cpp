/* SPDX-License-Identifier: Apache-2.0
 * XED's encoder: descriptions, against the bytes that GNU as makes of the same text; requests filled by hand and from decoded instructions, whose bytes are run; fields that are changed;
 * patches. Rule A63. */
#include "checks.h"

#include <sys/mman.h>

static xed_state_t mode64;

static std::string Hex(const xed_uint8_t *bytes, unsigned n)
{
    std::string out;
    char text[3];
    for (unsigned i = 0; i < n; i++)
        snprintf(text, sizeof text, "%02x", bytes[i]), out += text;
    return out;
}

static std::string Encoded(xed_encoder_request_t *r)
{
    xed_uint8_t out[XED_MAX_INSTRUCTION_BYTES];
    unsigned n = 0;
    xed_error_enum_t error = xed_encode(r, out, sizeof out, &n);
    return error == XED_ERROR_NONE ? Hex(out, n) : xed_error_enum_t2str(error);
}

static std::string Made(xed_encoder_instruction_t *x)
{
    xed_encoder_request_t r;
    xed_encoder_request_zero_set_mode(&r, &x->mode);
    TRUE_(xed_convert_to_encoder_request(&r, x));
    return Encoded(&r);
}

/* --- descriptions: what as says --------------------------------------------------------------------------------- */

#define MAKE2(bytes, iclass, width, a, b) xed_inst2(&x, mode64, XED_ICLASS_##iclass, width, a, b), EQUAL(Made(&x), std::string(bytes))
#define MAKE1(bytes, iclass, width, a) xed_inst1(&x, mode64, XED_ICLASS_##iclass, width, a), EQUAL(Made(&x), std::string(bytes))
#define MAKE0(bytes, iclass, width) xed_inst0(&x, mode64, XED_ICLASS_##iclass, width), EQUAL(Made(&x), std::string(bytes))
#define REG_(name) xed_reg(XED_REG_##name)

static void Descriptions()
{
    xed_encoder_instruction_t x;
    MAKE2("480578563412", ADD, 64, REG_(RAX), xed_simm0(0x12345678, 32));
    MAKE2("48b9f0debc9a78563412", MOV, 64, REG_(RCX), xed_imm0(0x123456789abcdef0, 64));
    MAKE2("8b448b40", MOV, 32, REG_(EAX), xed_mem_bisd(XED_REG_RBX, XED_REG_RCX, 4, xed_disp(0x40, 8), 32));
    MAKE2("4c898c2478563412", MOV, 64, xed_mem_bd(XED_REG_RSP, xed_disp(0x12345678, 32), 64), REG_(R9));
    MAKE2("4c8d0544332211", LEA, 64, REG_(R8), xed_mem_bd(XED_REG_RIP, xed_disp(0x11223344, 32), 64));
    MAKE1("e900100000", JMP, 64, xed_relbr(0x1000, 32));
    MAKE1("4154", PUSH, 64, REG_(R12));
    MAKE2("31c9", XOR, 32, REG_(ECX), REG_(ECX));
    MAKE2("48c1e003", SHL, 64, REG_(RAX), xed_imm0(3, 8));
    MAKE2("64440fb617", MOVZX, 32, REG_(R10D), xed_mem_gb(XED_REG_FS, XED_REG_RDI, 8));
    MAKE2("f0480fb137", CMPXCHG_LOCK, 64, xed_mem_b(XED_REG_RDI, 64), REG_(RSI));
    MAKE0("f348a5", REP_MOVSQ, 64);
    MAKE0("c3", RET_NEAR, 64);
    MAKE1("c20800", RET_NEAR, 64, xed_imm0(8, 16));
    MAKE2("f2490f2adb", CVTSI2SD, 64, REG_(XMM3), REG_(R11));
    MAKE2("c8200001", ENTER, 64, xed_imm0(0x20, 16), xed_imm1(1));
    MAKE1("ffd0", CALL_NEAR, 64, REG_(RAX));
    MAKE1("0f95c1", SETNZ, 8, REG_(CL));
    MAKE1("490fcd", BSWAP, 64, REG_(R13));
    MAKE2("f20f1045f8", MOVSD_XMM, 64, REG_(XMM0), xed_mem_bd(XED_REG_RBP, xed_disp(-8, 8), 64));
    xed_inst3(&x, mode64, XED_ICLASS_IMUL, 64, REG_(RDX), REG_(RSI), xed_simm0(0x64, 8));
    EQUAL(Made(&x), std::string("486bd664"));
    xed_inst3(&x, mode64, XED_ICLASS_VADDPS, 0, REG_(YMM1), REG_(YMM2), REG_(YMM3));
    EQUAL(Made(&x), std::string("c5ec58cb"));
    xed_inst5(&x, mode64, XED_ICLASS_VADDPD, 0, REG_(ZMM1), REG_(K2), REG_(ZMM3), xed_mem_b(XED_REG_RAX, 64), xed_other(XED_OPERAND_ZEROING, 1));
    x.operands[5] = xed_other(XED_OPERAND_BCAST, 5); /* 1 to 8, of 64 bits */
    x.noperands = 6;
    EQUAL(Made(&x), std::string("62f1e5da5808"));
    xed_inst3(&x, mode64, XED_ICLASS_VFMADD231SS, 0, REG_(XMM0), REG_(XMM1), xed_mem_b(XED_REG_RDX, 32));
    EQUAL(Made(&x), std::string("c4e271b902"));
    /* The widths that were asked for are kept, where as takes the shortest; and what there is not is an error. */
    MAKE2("4881c301000000", ADD, 64, REG_(RBX), xed_simm0(1, 32));
    MAKE2("8b8301000000", MOV, 32, REG_(EAX), xed_mem_bd(XED_REG_RBX, xed_disp(1, 32), 32));
    MAKE1("ebfe", JMP, 64, xed_relbr(-2, 8));
    MAKE2("GENERAL_ERROR", ADD, 64, REG_(RAX), REG_(XMM0));
    MAKE2("GENERAL_ERROR", MOV, 8, REG_(AH), REG_(R8B));
    MAKE1("GENERAL_ERROR", AADD, 64, REG_(RAX)); /* newer than the encoder */
}

/* --- requests ------------------------------------------------------------------------------------------------------ */

static xed_decoded_inst_t Decode(const xed_uint8_t *bytes, unsigned n)
{
    xed_decoded_inst_t d;
    xed_decoded_inst_zero_set_mode(&d, &mode64);
    EQUAL(int(xed_decode(&d, bytes, n)), int(XED_ERROR_NONE));
    return d;
}
#define DECODE(bytes) Decode(reinterpret_cast<const xed_uint8_t *>(bytes), sizeof bytes - 1)

static void FromDecode()
{
    xed_decoded_inst_t d = DECODE("\x48\x8b\x05\x10\x00\x00\x00"); /* mov rax, [rip+0x10], moved to another address */
    xed_encoder_request_init_from_decode(&d);
    EQUAL(xed_encoder_request_operand_order_entries(&d), 2u);
    EQUAL(int(xed_encoder_request_get_operand_order(&d, 1)), int(XED_OPERAND_MEM0));
    EQUAL(int(xed_encoder_request_get_iclass(&d)), int(XED_ICLASS_MOV));
    EQUAL(Encoded(&d), std::string("488b0510000000"));
    xed_encoder_request_set_memory_displacement(&d, -0x20, 4);
    EQUAL(Encoded(&d), std::string("488b05e0ffffff"));
    xed_encoder_request_set_reg(&d, XED_OPERAND_REG0, XED_REG_R15);
    xed_encoder_request_set_base0(&d, XED_REG_INVALID); /* absolute */
    xed_encoder_request_set_memory_displacement(&d, 0x1000, 4);
    EQUAL(Encoded(&d), std::string("4c8b3c2500100000"));
    xed_encoder_request_set_base0(&d, XED_REG_R13);
    xed_encoder_request_set_index(&d, XED_REG_R12);
    xed_encoder_request_set_scale(&d, 8);
    EQUAL(Encoded(&d), std::string("4f8bbce500100000"));
    d = DECODE("\xe8\x00\x01\x00\x00");
    xed_encoder_request_init_from_decode(&d);
    xed_encoder_request_set_branch_displacement(&d, 0x12345, 4);
    EQUAL(Encoded(&d), std::string("e845230100"));
    d = DECODE("\x83\xc0\x05");
    xed_encoder_request_init_from_decode(&d);
    xed_decoded_inst_set_immediate_signed(&d, -7, 1);
    EQUAL(Encoded(&d), std::string("83c0f9"));
    unsigned n;
    xed_uint8_t out[2];
    EQUAL(int(xed_encode(&d, out, 2, &n)), int(XED_ERROR_BUFFER_TOO_SHORT));
    d = DECODE("\x62\xf1\x6c\xdb\x58\x4c\x8b\x01"); /* mask, zeroing, broadcast and a scaled displacement stay */
    xed_encoder_request_init_from_decode(&d);
    EQUAL(Encoded(&d), std::string("62f16cdb584c8b01"));
}

/* long f(long a, long b) { return a * 4 + b - 7; }, made instruction by instruction, and called. */
static void Run()
{
    xed_uint8_t *code = static_cast<xed_uint8_t *>(mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    xed_encoder_instruction_t all[3];
    unsigned at = 0, n;
    xed_inst2(&all[0], mode64, XED_ICLASS_LEA, 64, REG_(RAX), xed_mem_bisd(XED_REG_RSI, XED_REG_RDI, 4, xed_disp(0, 0), 64));
    xed_inst2(&all[1], mode64, XED_ICLASS_SUB, 64, REG_(RAX), xed_simm0(7, 8));
    xed_inst0(&all[2], mode64, XED_ICLASS_RET_NEAR, 64);
    for (unsigned bytes = 1; bytes <= 9; bytes++, at += bytes - 1)
        EQUAL(int(xed_encode_nop(code + at, bytes)), int(XED_ERROR_NONE));
    EQUAL(int(xed_encode_nop(code + at, 10)), int(XED_ERROR_GENERAL_ERROR));
    for (auto &x : all) {
        xed_encoder_request_t r;
        xed_encoder_request_zero_set_mode(&r, &x.mode);
        TRUE_(xed_convert_to_encoder_request(&r, &x));
        EQUAL(int(xed_encode(&r, code + at, 15, &n)), int(XED_ERROR_NONE));
        at += n;
    }
    long (*f)(long, long) = reinterpret_cast<long (*)(long, long)>(reinterpret_cast<unsigned long>(code));
    EQUAL(f(10, 3), 36);
    EQUAL(f(-1, 100), 89);
    xed_encoder_request_t r; /* mov rax, rdi by hand, and a jump back over nothing */
    xed_encoder_request_zero_set_mode(&r, &mode64);
    xed_encoder_request_set_iclass(&r, XED_ICLASS_MOV);
    xed_encoder_request_set_effective_operand_width(&r, 64);
    xed_encoder_request_set_reg(&r, XED_OPERAND_REG0, XED_REG_RAX);
    xed_encoder_request_set_operand_order(&r, 0, XED_OPERAND_REG0);
    xed_encoder_request_set_mem0(&r);
    xed_encoder_request_set_base0(&r, XED_REG_RDI);
    xed_encoder_request_set_memory_operand_length(&r, 8);
    xed_encoder_request_set_operand_order(&r, 1, XED_OPERAND_MEM0);
    EQUAL(int(xed_encode(&r, code, 15, &n)), int(XED_ERROR_NONE));
    code[n] = 0xc3;
    long value = 0x1234567, answer = reinterpret_cast<long (*)(long *)>(reinterpret_cast<unsigned long>(code))(&value);
    EQUAL(answer, value);
    munmap(code, 4096);
}

static void Patches()
{
    xed_uint8_t add[] = {0x81, 0x83, 0x44, 0x33, 0x22, 0x11, 1, 0, 0, 0}, jump[] = {0x74, 0x05}; /* add dword ptr [rbx+0x11223344], 1; jz */
    xed_decoded_inst_t d = Decode(add, sizeof add);
    TRUE_(xed_patch_disp(&d, add, xed_disp(-16, 32)) && xed_patch_imm0(&d, add, xed_imm0(0x55667788, 32)));
    EQUAL(Hex(add, sizeof add), std::string("8183f0ffffff88776655"));
    TRUE_(!xed_patch_disp(&d, add, xed_disp(-16, 8)) && !xed_patch_brdisp(&d, add, xed_relbr(0, 32)));
    d = Decode(jump, sizeof jump);
    TRUE_(xed_patch_brdisp(&d, jump, xed_relbr(-2, 8)) && !xed_patch_imm0(&d, jump, xed_imm0(0, 8)));
    EQUAL(Hex(jump, sizeof jump), std::string("74fe"));
}

/* Every setter of a value is seen by what asks for it, and by the encoder. */
static void Values()
{
    xed_decoded_inst_t d = DECODE("\x48\x81\x44\x8b\x10\x01\x00\x00\x00"); /* add qword ptr [rbx+rcx*4+0x10], 1 */
    xed_encoder_request_init_from_decode(&d);
    xed_operand_values_set_base_reg(&d, 0, XED_REG_RSI);
    xed_operand_values_set_index_reg(&d, 0, XED_REG_RDI);
    xed_operand_values_set_scale(&d, 0, 2);
    xed_operand_values_set_memory_displacement(&d, 0x200, 4);
    xed_operand_values_set_immediate_signed_bits(&d, -2, 32);
    EQUAL(int(xed_decoded_inst_get_base_reg(&d, 0)), int(XED_REG_RSI));
    EQUAL(int(xed_decoded_inst_get_index_reg(&d, 0)), int(XED_REG_RDI));
    EQUAL(xed_decoded_inst_get_scale(&d, 0), 2u);
    EQUAL(xed_decoded_inst_get_memory_displacement(&d, 0), 0x200);
    EQUAL(xed_decoded_inst_get_memory_displacement_width(&d, 0), 4u);
    EQUAL(xed_decoded_inst_get_signed_immediate(&d), -2);
    EQUAL(xed_decoded_inst_get_unsigned_immediate(&d), 0xfffffffeul);
    EQUAL(Encoded(&d), std::string("4881847e00020000feffffff"));
    xed_operand_values_set_seg_reg(&d, 0, XED_REG_GS);
    xed_operand_values_set_lock(&d);
    EQUAL(Encoded(&d), std::string("f0654881847e00020000feffffff"));
    xed_operand_values_zero_memory_displacement(&d);
    xed_operand_values_zero_segment_override(&d);
    xed_operand_values_set_operand_reg(&d, XED_OPERAND_INDEX, XED_REG_INVALID);
    xed3_operand_set_lock(&d, 0);
    EQUAL(Encoded(&d), std::string("488106feffffff"));
    xed_bits_t eosz = 0;
    xed3_get_generic_operand(&d, XED_OPERAND_EOSZ, &eosz);
    EQUAL(eosz, 3u);
    xed3_set_generic_operand(&d, XED_OPERAND_REG3, XED_REG_R9);
    EQUAL(int(xed3_operand_get_reg3(&d)), int(XED_REG_R9));
}

static VOID Fini(INT32, VOID *) { Checked("xedencode", 90); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    xed_tables_init();
    xed_state_init(&mode64, XED_MACHINE_MODE_LONG_64, XED_ADDRESS_WIDTH_64b, XED_ADDRESS_WIDTH_64b);
    Descriptions();
    FromDecode();
    Run();
    Patches();
    Values();
    PIN_AddFiniFunction(Fini, 0);
    PIN_StartProgram();
}
