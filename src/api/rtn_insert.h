/* SPDX-License-Identifier: Apache-2.0
 * Calls inserted into routines: kept with the routine, put into each trace that has its instructions. */
#ifndef LP_API_RTN_INSERT_H
#define LP_API_RTN_INSERT_H
void rtn_insert_init(void);
/* Takes all of them out, and all replacements. Under jit_lock. */
void rtn_insert_forget(void);
#endif
