/* SPDX-License-Identifier: Apache-2.0
 * What the operating system layer keeps for each thread. Selected by folder, like the architecture's cpu.h. */
#ifndef LP_OS_THREAD_H
#define LP_OS_THREAD_H
#include "os/linux/os_thread.h"
#endif
