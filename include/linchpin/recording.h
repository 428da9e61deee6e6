/* SPDX-License-Identifier: Apache-2.0
 * What the run is that the tool sees: one that is recorded (linchpin record), or that is replayed (linchpin replay). */
#ifndef LINCHPIN_RECORDING_H
#define LINCHPIN_RECORDING_H
#include "linchpin/types.h"
LP_BEGIN
#ifdef __cplusplus
extern "C" {
#endif

enum lp_run { LP_RUN_PLAIN, LP_RUN_RECORDED, LP_RUN_REPLAYED };

UINT32 lp_run(void); /* enum lp_run */
/* The folder of the recording, as the command was given it; "": there is none. */
const CHAR *lp_recording(void);

#ifdef __cplusplus
}
#endif
LP_END
#endif
