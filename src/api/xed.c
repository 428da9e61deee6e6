/* SPDX-License-Identifier: Apache-2.0
 * xed_*: decoding, the instruction, registers and texts. Works on the caller's structures; no state, no lock. */
#include "api/ins_facts.h"
#include "api/xed_internal.h"
#include "forms.h"
#include "regs.h"
#include "xed_names.h"

#include <string.h>

/* --- modes and decoding ------------------------------------------------------------------------------------- */

void xed_tables_init(void) {}
const char *xed_get_version(void) { return "linchpin"; }
const char *xed_get_copyright(void) { return ""; }
void xed_state_zero(xed_state_t *s) { memset(s, 0, sizeof *s); }
void xed_state_set_machine_mode(xed_state_t *s, xed_machine_mode_enum_t mode) { s->mmode = mode; }
xed_machine_mode_enum_t xed_state_get_machine_mode(const xed_state_t *s) { return s->mmode; }

void xed_state_init2(xed_state_t *s, xed_machine_mode_enum_t mode, xed_address_width_enum_t stack_width)
{
    s->mmode = mode;
    s->stack_addr_width = stack_width;
}

void xed_state_init(xed_state_t *s, xed_machine_mode_enum_t mode, xed_address_width_enum_t address_width,
                    xed_address_width_enum_t stack_width)
{
    (void)address_width;
    xed_state_init2(s, mode, stack_width);
}

static void set_mode(xed_decoded_inst_t *d, xed_machine_mode_enum_t mode, xed_address_width_enum_t stack_width)
{
    static const u8 widths[] = {
        [XED_MACHINE_MODE_LONG_64] = 2, [XED_MACHINE_MODE_LONG_COMPAT_32] = 1, [XED_MACHINE_MODE_LEGACY_32] = 1,
        [XED_MACHINE_MODE_REAL_32] = 1, [XED_MACHINE_MODE_LAST] = 0,
    };
    u8 bits = (u32)mode < ARRAY_LEN(widths) ? widths[mode] : 0;
    d->_operands.mode = bits;
    d->_operands.realmode = mode == XED_MACHINE_MODE_REAL_16 || mode == XED_MACHINE_MODE_REAL_32;
    d->_operands.smode = bits == 2                             ? 2
                         : stack_width == XED_ADDRESS_WIDTH_64b ? 2
                         : stack_width == XED_ADDRESS_WIDTH_32b ? 1
                                                                : 0;
}

void xed_decoded_inst_zero(xed_decoded_inst_t *d) { memset(d, 0, sizeof *d); }

void xed_decoded_inst_zero_keep_mode_from_operands(xed_decoded_inst_t *d, const xed_operand_values_t *from)
{
    u8 mode = from->_operands.mode, smode = from->_operands.smode, real = from->_operands.realmode;
    xed_decoded_inst_zero(d);
    d->_operands.mode = mode;
    d->_operands.smode = smode;
    d->_operands.realmode = real;
}

void xed_decoded_inst_zero_keep_mode(xed_decoded_inst_t *d) { xed_decoded_inst_zero_keep_mode_from_operands(d, d); }

void xed_decoded_inst_set_mode(xed_decoded_inst_t *d, xed_machine_mode_enum_t mode,
                               xed_address_width_enum_t stack_width)
{
    set_mode(d, mode, stack_width);
}

void xed_decoded_inst_zero_set_mode(xed_decoded_inst_t *d, const xed_state_t *s)
{
    xed_decoded_inst_zero(d);
    set_mode(d, s->mmode, s->stack_addr_width);
}

static enum code_mode mode_of(const xed_decoded_inst_t *d)
{
    return d->_operands.mode == 2 ? CODE_64 : d->_operands.mode == 1 ? CODE_32 : CODE_16;
}

/* An instruction that the decoder knows and the tables do not have is none, as the chip that was asked for may say. */
static xed_error_enum_t judge(xed_decoded_inst_t *d)
{
    if (!d->_inst)
        return XED_ERROR_GENERAL_ERROR;
    xed_chip_enum_t chip = (xed_chip_enum_t)d->_operands.chip;
    if (chip != XED_CHIP_INVALID && !xed_decoded_inst_valid_for_chip(d, chip)) {
        d->_operands.error = XED_ERROR_INVALID_FOR_CHIP;
        return XED_ERROR_INVALID_FOR_CHIP;
    }
    return XED_ERROR_NONE;
}

xed_error_enum_t xed_decode(xed_decoded_inst_t *d, const xed_uint8_t *bytes, unsigned int count)
{
    if (!count)
        return XED_ERROR_BUFFER_TOO_SHORT;
    bool good = facts_decode(xed_facts_to_fill(d), 0, bytes, count, 0, mode_of(d));
    xed_fill(d);
    if (good)
        return judge(d);
    return xed_facts(d)->truncated ? XED_ERROR_BUFFER_TOO_SHORT : XED_ERROR_GENERAL_ERROR;
}

xed_error_enum_t xed_ild_decode(xed_decoded_inst_t *d, const xed_uint8_t *bytes, unsigned int count)
{
    return xed_decode(d, bytes, count);
}

void xed_decode_cache_initialize(xed_decode_cache_t *cache, xed_decode_cache_entry_t *entries, xed_uint32_t count)
{
    cache->entries = entries;
    cache->limit = count;
}

xed_error_enum_t xed_decode_cache(xed_decoded_inst_t *d, const xed_uint8_t *bytes, unsigned int count,
                                  xed_decode_cache_t *cache)
{
    (void)cache;
    return xed_decode(d, bytes, count);
}

/* --- the instruction ---------------------------------------------------------------------------------------- */

xed_bool_t xed_decoded_inst_valid(const xed_decoded_inst_t *d) { return d->_inst != NULL; }
const xed_inst_t *xed_decoded_inst_inst(const xed_decoded_inst_t *d) { return d->_inst; }
xed_iclass_enum_t xed_inst_iclass(const xed_inst_t *i) { return xed_iform_to_iclass(xed_inst_iform_enum(i)); }
xed_category_enum_t xed_inst_category(const xed_inst_t *i) { return xed_iform_to_category(xed_inst_iform_enum(i)); }
xed_extension_enum_t xed_inst_extension(const xed_inst_t *i) { return xed_iform_to_extension(xed_inst_iform_enum(i)); }
xed_iform_enum_t xed_inst_iform_enum(const xed_inst_t *i) { return (xed_iform_enum_t)i->_iform_enum; }
xed_iclass_enum_t xed_decoded_inst_get_iclass(const xed_decoded_inst_t *d)
{
    return (xed_iclass_enum_t)xed_facts(d)->iclass;
}
xed_category_enum_t xed_decoded_inst_get_category(const xed_decoded_inst_t *d)
{
    return (xed_category_enum_t)xed_facts(d)->category;
}
xed_extension_enum_t xed_decoded_inst_get_extension(const xed_decoded_inst_t *d)
{
    return (xed_extension_enum_t)xed_facts(d)->extension;
}
xed_iform_enum_t xed_decoded_inst_get_iform_enum(const xed_decoded_inst_t *d)
{
    return d->_inst ? xed_inst_iform_enum(d->_inst) : XED_IFORM_INVALID;
}
xed_uint_t xed_decoded_inst_get_length(const xed_decoded_inst_t *d) { return d->_decoded_length; }
xed_uint8_t xed_decoded_inst_get_byte(const xed_decoded_inst_t *d, xed_uint_t i)
{
    return i < 15 ? xed_facts(d)->bytes[i] : 0;
}
xed_uint_t xed_decoded_inst_get_machine_mode_bits(const xed_decoded_inst_t *d) { return 16u << d->_operands.mode; }
xed_bool_t xed_decoded_inst_is_prefetch(const xed_decoded_inst_t *d)
{
    return (xed_facts(d)->flags & FACT_FLAG_PREFETCH) != 0;
}
xed_iclass_enum_t xed_norep_map(xed_iclass_enum_t iclass)
{
    return (xed_iclass_enum_t)xed_iclass_unrepeated((u16)iclass);
}

xed_bool_t xed_decoded_inst_masked_vector_operation(const xed_decoded_inst_t *d)
{
    u16 mask = xed_facts(d)->mask_reg;
    return mask != REG_INVALID_ && mask != REG_K0;
}

xed_uint32_t xed_inst_get_attribute(const xed_inst_t *i, xed_attribute_enum_t attribute)
{
    const xed_attributes_t *all = forms_attributes(i);
    return (u32)attribute < 128 ? ((u32)attribute < 64 ? all->a1 : all->a2) >> (attribute & 63) & 1 : 0;
}

xed_uint32_t xed_decoded_inst_get_attribute(const xed_decoded_inst_t *d, xed_attribute_enum_t attribute)
{
    return d->_inst ? xed_inst_get_attribute(d->_inst, attribute) : 0;
}

xed_attributes_t xed_inst_get_attributes(const xed_inst_t *i) { return *forms_attributes(i); }

xed_attributes_t xed_decoded_inst_get_attributes(const xed_decoded_inst_t *d)
{
    return d->_inst ? xed_inst_get_attributes(d->_inst) : (xed_attributes_t){0, 0};
}

/* --- registers ---------------------------------------------------------------------------------------------- */

static const struct reg_row *xed_row(xed_reg_enum_t r) { return regs_row(regs_from_zydis(xed_reg_to_zydis((u32)r))); }

xed_reg_class_enum_t xed_reg_class(xed_reg_enum_t r)
{
    static const u8 classes[] = {
        [REG_CLASS_GR64] = XED_REG_CLASS_GPR, [REG_CLASS_GR32] = XED_REG_CLASS_GPR,
        [REG_CLASS_GR16] = XED_REG_CLASS_GPR, [REG_CLASS_GR_L8] = XED_REG_CLASS_GPR,
        [REG_CLASS_GR_H8] = XED_REG_CLASS_GPR, [REG_CLASS_SEG] = XED_REG_CLASS_SR,
        [REG_CLASS_FLAGS64] = XED_REG_CLASS_FLAGS,
        [REG_CLASS_FLAGS32] = XED_REG_CLASS_FLAGS, [REG_CLASS_FLAGS16] = XED_REG_CLASS_FLAGS,
        [REG_CLASS_IP64] = XED_REG_CLASS_IP,
        [REG_CLASS_IP32] = XED_REG_CLASS_IP, [REG_CLASS_IP16] = XED_REG_CLASS_IP, [REG_CLASS_MM] = XED_REG_CLASS_MMX,
        [REG_CLASS_XMM] = XED_REG_CLASS_XMM,
        [REG_CLASS_YMM] = XED_REG_CLASS_YMM, [REG_CLASS_ZMM] = XED_REG_CLASS_ZMM, [REG_CLASS_K] = XED_REG_CLASS_MASK,
        [REG_CLASS_TMM] = XED_REG_CLASS_TREG,
        [REG_CLASS_MXCSR] = XED_REG_CLASS_MXCSR, [REG_CLASS_ST] = XED_REG_CLASS_X87,
    };
    const struct reg_row *row = xed_row(r);
    if (r >= XED_REG_CR_FIRST && r <= XED_REG_CR_LAST)
        return XED_REG_CLASS_CR;
    if (r >= XED_REG_DR_FIRST && r <= XED_REG_DR_LAST)
        return XED_REG_CLASS_DR;
    if (r >= XED_REG_R16 && r <= XED_REG_R31B) /* names only */
        return XED_REG_CLASS_GPR;
    if (!row)
        return r > XED_REG_INVALID && r < XED_REG_LAST ? XED_REG_CLASS_PSEUDO : XED_REG_CLASS_INVALID;
    if (row->cls == REG_CLASS_SYSTEM)
        return XED_REG_CLASS_PSEUDO;
    if (!strncmp(row->text, "bnd", 3))
        return row->text[3] == 'c'   ? XED_REG_CLASS_BNDCFG
               : row->text[3] == 's' ? XED_REG_CLASS_BNDSTAT
                                     : XED_REG_CLASS_BOUND;
    return row->cls < ARRAY_LEN(classes) && classes[row->cls] ? (xed_reg_class_enum_t)classes[row->cls]
                                                              : XED_REG_CLASS_PSEUDO;
}

xed_reg_class_enum_t xed_gpr_reg_class(xed_reg_enum_t r)
{
    const struct reg_row *row = xed_row(r);
    switch (row ? row->cls : REG_CLASS_NONE) {
    case REG_CLASS_GR64: return XED_REG_CLASS_GPR64;
    case REG_CLASS_GR32: return XED_REG_CLASS_GPR32;
    case REG_CLASS_GR16: return XED_REG_CLASS_GPR16;
    case REG_CLASS_GR_L8: case REG_CLASS_GR_H8: return XED_REG_CLASS_GPR8;
    }
    return XED_REG_CLASS_INVALID;
}

xed_reg_enum_t xed_get_largest_enclosing_register(xed_reg_enum_t r)
{
    const struct reg_row *row = xed_row(r);
    return row ? (xed_reg_enum_t)xed_reg_from_zydis(regs_to_zydis(row->full)) : r;
}

xed_uint32_t xed_get_register_width_bits(xed_reg_enum_t r) { return xed_row(r) ? xed_row(r)->bits : 0; }
xed_uint32_t xed_get_register_width_bits64(xed_reg_enum_t r) { return xed_get_register_width_bits(r); }

REG INS_XedExactMapToPinReg(xed_reg_enum_t r) { return regs_from_zydis(xed_reg_to_zydis((u32)r)); }
xed_reg_enum_t INS_XedExactMapFromPinReg(REG r) { return (xed_reg_enum_t)xed_reg_from_zydis(regs_to_zydis((u32)r)); }

/* The fields are filled when a tool asks for them first: it may change them, and most do not ask. */
xed_decoded_inst_t *INS_XedDec(INS ins)
{
    xed_decoded_inst_t *d = (xed_decoded_inst_t *)FACTS(ins);
    if (!d->_inst) {
        u8 mode = xed_facts(d)->mode32;
        set_mode(d, mode == CODE_64 ? XED_MACHINE_MODE_LONG_64 : XED_MACHINE_MODE_LEGACY_32,
                 mode == CODE_64 ? XED_ADDRESS_WIDTH_64b : XED_ADDRESS_WIDTH_32b);
        xed_fill(d);
    }
    return d;
}

/* --- texts -------------------------------------------------------------------------------------------------- */

/* The callback's name for the target of a branch, if it has one. */
static void add_symbol(const struct ins_facts *f, char *out, size_t bytes, void *context,
                       xed_disassembly_callback_fn_t callback)
{
    char name[200];
    xed_uint64_t offset = 0;
    size_t used = strlen(out);
    if (!callback || !f->noperands || f->op[0].kind != FACT_BRANCH ||
        !callback(f->target, name, sizeof name, &offset, context))
        return;
    if (offset)
        base_format(out + used, bytes - used, " <%s+0x%lx>", name, offset);
    else
        base_format(out + used, bytes - used, " <%s>", name);
}

static enum facts_syntax facts_syntax_of(xed_syntax_enum_t syntax)
{
    return syntax == XED_SYNTAX_ATT ? FACTS_ATT : syntax == XED_SYNTAX_XED ? FACTS_XED : FACTS_INTEL;
}

xed_bool_t xed_format_context(xed_syntax_enum_t syntax, const xed_decoded_inst_t *d, char *out, int bytes,
                              xed_uint64_t address, void *context, xed_disassembly_callback_fn_t callback)
{
    if (bytes <= 0 || xed_facts(d)->iclass == XED_ICLASS_INVALID)
        return 0;
    struct ins_facts f = *xed_facts(d);
    f.target += address - f.pc;
    f.pc = address;
    size_t n = facts_format(&f, facts_syntax_of(syntax), out, (size_t)bytes);
    add_symbol(&f, out, (size_t)bytes, context, callback);
    return n + 1 < (size_t)bytes;
}

xed_bool_t xed_format(xed_syntax_enum_t syntax, const xed_decoded_inst_t *d, char *out, int bytes, xed_uint64_t address)
{
    return xed_format_context(syntax, d, out, bytes, address, NULL, NULL);
}

xed_bool_t xed_decoded_inst_dump_intel_format(const xed_decoded_inst_t *d, char *out, int bytes, xed_uint64_t address)
{
    return xed_format(XED_SYNTAX_INTEL, d, out, bytes, address);
}

xed_bool_t xed_decoded_inst_dump_att_format(const xed_decoded_inst_t *d, char *out, int bytes, xed_uint64_t address)
{
    return xed_format(XED_SYNTAX_ATT, d, out, bytes, address);
}

xed_bool_t xed_decoded_inst_dump_xed_format(const xed_decoded_inst_t *d, char *out, int bytes, xed_uint64_t address)
{
    return xed_format(XED_SYNTAX_XED, d, out, bytes, address);
}

void xed_decoded_inst_dump(const xed_decoded_inst_t *d, char *out, int bytes)
{
    char text[200] = "";
    const struct ins_facts *f = xed_facts(d);
    if (bytes <= 0)
        return;
    xed_format(XED_SYNTAX_INTEL, d, text, sizeof text, f->pc);
    base_format(out, (size_t)bytes, "%s %s %s %u operands: %s", xed_iclass_enum_t2str((xed_iclass_enum_t)f->iclass),
                xed_category_enum_t2str((xed_category_enum_t)f->category),
                xed_extension_enum_t2str((xed_extension_enum_t)f->extension), f->noperands, text);
}
