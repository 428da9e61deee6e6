/* SPDX-License-Identifier: Apache-2.0
 * Faults in the tool's own code. */
#ifndef LP_API_TRY_H
#define LP_API_TRY_H
#include "base/base.h"

/* From now on faults in host code come to the tool's handlers, and end with a message about the tool. */
void try_init(void);
/* The tool is what this function of it is in. */
void try_tool_loaded(void *function);
/* The host frames of the calling thread are given up (PIN_ExecuteAt and its kin), and with them its TryStarts and a
 * handler that runs. */
void try_abandon(void);

#endif
