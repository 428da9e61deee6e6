/* SPDX-License-Identifier: Apache-2.0
 * What an instruction does with the flags, as XED has it. Sets of flags have the bits of the flags register; those of the x87 status word (fc0 to fc3) are bits 28 to 31. */
#ifndef LINCHPIN_XED_FLAGS_H
#define LINCHPIN_XED_FLAGS_H
#include "xed-types.h"

typedef union xed_flag_set_s {
    xed_uint32_t flat;
    struct {
        xed_uint32_t cf : 1, must_be_1 : 1, pf : 1, must_be_0a : 1, af : 1, must_be_0b : 1, zf : 1, sf : 1;
        xed_uint32_t tf : 1, _if : 1, df : 1, of : 1, iopl : 2, nt : 1, must_be_0c : 1;
        xed_uint32_t rf : 1, vm : 1, ac : 1, vif : 1, vip : 1, id : 1, must_be_0d : 2;
        xed_uint32_t must_be_0e : 4, fc0 : 1, fc1 : 1, fc2 : 1, fc3 : 1;
    } s;
} xed_flag_set_t;

typedef struct xed_flag_enum_s {
    xed_flag_enum_t flag;
    xed_flag_action_enum_t action;
} xed_flag_action_t;

/* written has the flags that are undefined afterwards, too. */
typedef struct xed_simple_flag_s {
    xed_uint8_t nflags, may_write, must_write;
    xed_flag_set_t read, written, undefined;
    xed_uint16_t fa_index;
} xed_simple_flag_t;

typedef union xed_flag_dfv_s {
    xed_uint8_t flat;
    struct { xed_uint32_t of : 1, sf : 1, zf : 1, cf : 1, pad : 4; } s;
} xed_flag_dfv_t;

#ifdef __cplusplus
extern "C" {
#endif
/* NULL: it does not touch them. */
const xed_simple_flag_t *xed_decoded_inst_get_rflags_info(const xed_decoded_inst_t *d);
const xed_flag_action_t *xed_simple_flag_get_flag_action(const xed_simple_flag_t *p, unsigned int i);
int xed_flag_set_print(const xed_flag_set_t *p, char *out, int bytes);
int xed_flag_action_print(const xed_flag_action_t *p, char *out, int bytes);
int xed_simple_flag_print(const xed_simple_flag_t *p, char *out, int bytes);
#ifdef __cplusplus
}
#endif

static inline unsigned int xed_simple_flag_get_nflags(const xed_simple_flag_t *p) { return p->nflags; }
static inline const xed_flag_set_t *xed_simple_flag_get_read_flag_set(const xed_simple_flag_t *p) { return &p->read; }
static inline const xed_flag_set_t *xed_simple_flag_get_written_flag_set(const xed_simple_flag_t *p) { return &p->written; }
static inline const xed_flag_set_t *xed_simple_flag_get_undefined_flag_set(const xed_simple_flag_t *p) { return &p->undefined; }
static inline xed_bool_t xed_simple_flag_get_may_write(const xed_simple_flag_t *p) { return p->may_write; }
static inline xed_bool_t xed_simple_flag_get_must_write(const xed_simple_flag_t *p) { return p->must_write; }
static inline xed_bool_t xed_simple_flag_reads_flags(const xed_simple_flag_t *p) { return p->read.flat != 0; }
static inline xed_bool_t xed_simple_flag_writes_flags(const xed_simple_flag_t *p) { return p->may_write || p->must_write; }
static inline unsigned int xed_flag_set_mask(const xed_flag_set_t *p) { return p->flat; }
static inline xed_bool_t xed_flag_set_is_subset_of(const xed_flag_set_t *a, const xed_flag_set_t *b) { return (a->flat & b->flat) == a->flat; }
static inline xed_flag_enum_t xed_flag_action_get_flag_name(const xed_flag_action_t *p) { return p->flag; }
static inline xed_flag_action_enum_t xed_flag_action_get_action(const xed_flag_action_t *p, unsigned int i) { return i ? XED_FLAG_ACTION_INVALID : p->action; }
static inline xed_bool_t xed_flag_action_action_invalid(xed_flag_action_enum_t a) { return a == XED_FLAG_ACTION_INVALID; }
static inline xed_uint_t xed_flag_action_read_action(xed_flag_action_enum_t a) { return a == XED_FLAG_ACTION_tst; }
static inline xed_uint_t xed_flag_action_write_action(xed_flag_action_enum_t a) { return a != XED_FLAG_ACTION_INVALID && a != XED_FLAG_ACTION_tst; }
static inline xed_uint_t xed_flag_action_read_flag(const xed_flag_action_t *p) { return xed_flag_action_read_action(p->action); }
static inline xed_uint_t xed_flag_action_writes_flag(const xed_flag_action_t *p) { return xed_flag_action_write_action(p->action); }
/* The flags that an APX instruction sets by default: DFV0 to DFV15. */
static inline xed_bool_t xed_flag_dfv_get_default_flags_values(xed_reg_enum_t dfv, xed_flag_dfv_t *p)
{
    unsigned int n = (unsigned int)dfv - XED_REG_DFV0;
    if (n > 15)
        return 0;
    p->flat = 0;
    p->s.of = n >> 3 & 1, p->s.sf = n >> 2 & 1, p->s.zf = n >> 1 & 1, p->s.cf = n & 1;
    return 1;
}

#endif
