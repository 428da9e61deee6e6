/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LP_VSYSCALL_H
#define LP_VSYSCALL_H
#include "base/base.h"
/* The guest's pc cannot be fetched: if it is an entry of a page that the kernel serves itself, carries the call out. */
bool os_call_special_page(void);
#endif
