/* SPDX-License-Identifier: Apache-2.0
 * Offsets for assembly; state.c checks them against the structures. */
#define CPU_GPR 0
#define CPU_FLAGS 136
#define CPU_EXIT_ID 224
#define CPU_ENTER 232
#define CPU_HOST_SP 240
#define CPU_ENTER_HOME 280
#define CPU_ENTER_SP 288
#define CPU_XSAVE_MASK 248
#define CPU_XSAVE 320
#define EXIT_RESUME 0x70000002
#define EXIT_GATE 0x70000006
#define CPU_BRIDGE 11584
#define TC_PENDING 26992
#define TC_COMPLETING 27393
