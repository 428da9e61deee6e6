/* SPDX-License-Identifier: Apache-2.0
 * What the engine says about itself: counters at exit (-stats), and its state when it finds a bug of its own. */
#ifndef LP_MAIN_REPORT_H
#define LP_MAIN_REPORT_H
#include "base/base.h"

/* Sets bug_hook; registers the counters' printing, at the end and when the engine leaves the process, when -stats is
 * on. */
void report_init(void);

#endif
