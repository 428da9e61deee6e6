/* SPDX-License-Identifier: Apache-2.0
 * The launcher is linked above 2 GiB (build.mk). There a call to an undefined weak function, as libc.a has some for
 * parts that a program does not use, cannot be encoded: the address 0 is out of reach. These definitions stand for
 * the absent parts; a program without threads and without C++ never needs them. */
#include "base/base.h"

void __pthread_initialize_minimal(void);
void __call_tls_dtors(void);
void __pthread_unwind(void *buf);

__attribute__((weak)) void __pthread_initialize_minimal(void)
{
}

__attribute__((weak)) void __call_tls_dtors(void)
{
}

__attribute__((weak)) void __pthread_unwind(void *buf)
{
    BUG("thread cancellation in a program without threads (%p)", buf);
}
