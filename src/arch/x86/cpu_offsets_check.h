/* SPDX-License-Identifier: Apache-2.0
 * cpu_offsets.h against the structures; included once, by state.c, before cpu_offsets.h's names could clash with the
 * enumerations. */
#define OFFSET_IS(type, field, value) _Static_assert(offsetof(type, field) == (value), #field " moved: cpu_offsets.h")
OFFSET_IS(struct cpu_state, gpr, 0);
OFFSET_IS(struct cpu_state, flags, 136);
OFFSET_IS(struct cpu_state, exit_id, 224);
OFFSET_IS(struct cpu_state, enter, 232);
OFFSET_IS(struct cpu_state, host_sp, 240);
OFFSET_IS(struct cpu_state, enter_home, 280);
OFFSET_IS(struct cpu_state, enter_sp, 288);
OFFSET_IS(struct cpu_state, xsave_mask, 248);
OFFSET_IS(struct cpu_state, xsave, 320);
OFFSET_IS(struct cpu_state, bridge, 11584);
OFFSET_IS(struct bridge_state, flags, 144);
OFFSET_IS(struct bridge_state, own_step, 176);
OFFSET_IS(struct bridge_state, xsave, 192);
OFFSET_IS(struct thread, os.pending, 26992);
OFFSET_IS(struct thread, os.completing, 27393);
