/* SPDX-License-Identifier: Apache-2.0
 * The tool's callbacks that have to do with the process and its threads. */
#ifndef LP_API_CALLBACKS_H
#define LP_API_CALLBACKS_H
#include "base/base.h"
void callbacks_fini(int status);
#endif
