/* SPDX-License-Identifier: Apache-2.0
 * The library of load.c. */
static int called;

__attribute__((noinline)) int loaded_function(int n)
{
    __asm__("");
    return ++called * 100 + n;
}

__attribute__((constructor)) static void start(void) { loaded_function(0); }
