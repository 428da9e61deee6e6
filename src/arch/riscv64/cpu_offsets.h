/* SPDX-License-Identifier: Apache-2.0
 * Offsets for assembly; state.c checks them against the structures. */
#define CPU_GPR 0
#define CPU_PC 256
#define CPU_SLOT 264
#define CPU_EXIT_ID 328
#define CPU_ENTER 336
#define CPU_HOST_SP 344
#define CPU_FPR 384
#define CPU_FCSR 640
#define TC_PENDING 5064
#define EXIT_RESUME 0x70000002
