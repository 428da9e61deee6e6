/* SPDX-License-Identifier: Apache-2.0
 * In tools for IA-32 programs <sys/syscall.h> has the numbers that these programs have. */
#include <asm/unistd_32.h>
