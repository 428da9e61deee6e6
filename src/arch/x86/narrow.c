/* SPDX-License-Identifier: Apache-2.0
 * Of which kind the program is, for this architecture and for the parts above it. Set once, at start. */
#include "arch/arch.h"
#include "arch/x86/cpu.h"

bool arch_narrow, arch_narrow_tool, cpu_guest32;
gpc_t cpu_guest32_call;
