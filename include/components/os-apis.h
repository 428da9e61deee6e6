/* SPDX-License-Identifier: Apache-2.0
 * OS_*, which pin.H has as well. */
#ifndef OS_APIS_H
#define OS_APIS_H
#include "../linchpin/os_apis.h"
#ifdef __cplusplus
using namespace LEVEL_BASE;
#endif
#endif
