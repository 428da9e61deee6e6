/* SPDX-License-Identifier: Apache-2.0
 * What the launcher with AddressSanitizer does unless the environment says otherwise: guests get an environment of their own. Without it the sanitizer
 * forbids core dumps, which the guest inherits. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "disable_coredump=0:detect_leaks=0";
}
