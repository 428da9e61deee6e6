/* SPDX-License-Identifier: Apache-2.0
 * When a tool is asked for its results (results.c). */
#ifndef LP_API_RESULTS_H
#define LP_API_RESULTS_H
#include "base/options.h"
#include "linchpin/results.h"

typedef void lp_results_fn(const struct lp_results_info *info, void *arg);

bool results_any(void);
void results_init(void); /* before the guest runs, and in the child of a fork */
void results_by_errand(void); /* probe mode, launched: on a thread of the program's when the launcher asks */
void results_before_exec(void); /* probe mode: without an agent */
void results_give(struct lp_results_info info);
void results_end(int status); /* the process ends, by itself or by a signal */

#endif
