/* SPDX-License-Identifier: Apache-2.0
 * OS_*, which pin.H has as well. */
#ifndef OS_APIS_H
#define OS_APIS_H
#include "pin.H"
#endif
