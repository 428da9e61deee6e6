/* SPDX-License-Identifier: Apache-2.0
 * The functions of the API that speak XED's types. */
#ifndef LINCHPIN_DECODE_H
#define LINCHPIN_DECODE_H
#include "callbacks.h"
#include "../xed-interface.h"

LP_BEGIN
typedef VOID (*XED_DECODE_CALLBACK)(xed_decoded_inst_t *xedd);
#ifdef __cplusplus
extern "C" {
#endif
xed_decoded_inst_t *INS_XedDec(INS ins);
REG INS_XedExactMapToPinReg(xed_reg_enum_t reg);
xed_reg_enum_t INS_XedExactMapFromPinReg(REG reg);
VOID PIN_AddXedDecodeCallbackFunction(XED_DECODE_CALLBACK fun);
#ifdef __cplusplus
}
inline REG INS_XedExactMapToPinReg(unsigned int reg) { return INS_XedExactMapToPinReg(static_cast<xed_reg_enum_t>(reg)); }
#endif
LP_END
#endif
