/* SPDX-License-Identifier: Apache-2.0
 * cpu_offsets.h against the structures; included once, by state.c. */
#define OFFSET_IS(field, value) \
    _Static_assert(offsetof(struct cpu_state, field) == (value), #field " moved: cpu_offsets.h")
OFFSET_IS(gpr, 0);
OFFSET_IS(pc, 256);
OFFSET_IS(slot, 264);
OFFSET_IS(exit_id, 328);
OFFSET_IS(enter, 336);
OFFSET_IS(host_sp, 344);
OFFSET_IS(fpr, 384);
OFFSET_IS(fcsr, 640);
_Static_assert(offsetof(struct thread, os.pending) == 5064, "os.pending moved: cpu_offsets.h");
