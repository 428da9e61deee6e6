/* SPDX-License-Identifier: Apache-2.0
 * What the guest of the fuzzer and the driver of `stops` share: the memory of the guest through which they talk. The
 * driver reads and writes it as a tracer; the tool of the driver (tools/stopcount.cpp) gets its address with the system
 * call that marks a stop. */
#ifndef LP_FUZZ_STOPS_H
#define LP_FUZZ_STOPS_H
#include <stdint.h>

/* All that a program can see of its registers at an instruction. */
struct stop_state {
    uint64_t gpr[16]; /* in the order of enum RAX ... R15 (fuzz.h) */
    uint64_t rip, flags, fs, gs;
    uint64_t extended; /* a hash of the extended state, made comparable by state_normalise */
};

enum { STOPS_WAIT, STOPS_AGAIN, STOPS_NEXT };
enum { STOPS_COUNTS = 4, STOPS_ENDS = 30 };

struct stops {
    uint64_t command; /* the driver's: before it has attached, make the case again, make the next one */
    uint64_t number;  /* of the case */
    uint64_t code, code_bytes;
    uint64_t taken;            /* signals that the handler got since the driver cleared it */
    struct stop_state state;   /* where the last of them arrived */
    uint64_t ends[STOPS_ENDS]; /* what the last iteration left: struct run_out (fuzz.h), hashes of extended state, data
                                  and stack */
    uint64_t counts[STOPS_COUNTS]; /* a tool's, since the driver cleared them */
};
#endif
