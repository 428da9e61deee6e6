/* SPDX-License-Identifier: Apache-2.0
 * The tool and the debugger (appdebug.c), for the start of the program. */
#ifndef LP_API_APPDEBUG_H
#define LP_API_APPDEBUG_H

/* From now on the debugger may connect. */
void appdebug_program_starts(void);

#endif
