/* SPDX-License-Identifier: Apache-2.0
 * How far the program is (-progress, -progress_every; progress.c). */
#ifndef LP_API_PROGRESS_H
#define LP_API_PROGRESS_H
#include "base/options.h"

static inline bool progress_wanted(void) { return options.progress || options.progress_every; }
void progress_init(void); /* before the guest runs, and before anything else has made the agent */
void progress_end(void);  /* the last line: the process, or its life with the tool, ends */

#endif
