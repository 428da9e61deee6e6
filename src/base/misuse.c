/* SPDX-License-Identifier: Apache-2.0
 * What happens after a tool's mistake. It has a file of its own, so that a test can put its own function in place. */
#include "base/base.h"

#include <unistd.h>

void api_misuse(const char *call, const char *file, int line, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    base_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    if (file)
        msg("%s: %s (called at %s:%d)", call, text, file, line);
    else
        msg("%s: %s", call, text);
    _exit(1);
}
