/* SPDX-License-Identifier: Apache-2.0
 * A header of XED by its name: what is in it there is in xed-interface.h. */
#ifndef LINCHPIN_XED_ILD_H
#define LINCHPIN_XED_ILD_H
#include "xed-interface.h"

#endif
