/* SPDX-License-Identifier: Apache-2.0
 * The functions of the API that speak XED's types. */
#ifndef LINCHPIN_DECODE_HPP
#define LINCHPIN_DECODE_HPP
#include "callbacks.h"
#if __has_include("../xed-interface.h")
extern "C" {
#include "../xed-interface.h"
}
#define LP_HAVE_XED 1
#endif

#ifdef LP_HAVE_XED
namespace LEVEL_BASE {
typedef VOID (*XED_DECODE_CALLBACK)(xed_decoded_inst_t *xedd);
extern "C" {
xed_decoded_inst_t *INS_XedDec(INS ins);
REG INS_XedExactMapToPinReg(xed_reg_enum_t reg);
xed_reg_enum_t INS_XedExactMapFromPinReg(REG reg);
VOID PIN_AddXedDecodeCallbackFunction(XED_DECODE_CALLBACK fun);
}
inline REG INS_XedExactMapToPinReg(unsigned int reg) { return INS_XedExactMapToPinReg(static_cast<xed_reg_enum_t>(reg)); }
} // namespace LEVEL_BASE
#endif
#endif
