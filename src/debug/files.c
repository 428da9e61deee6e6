/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. Files that the debugger reads through the stub (vFile). */
#include "debug/stub.h"

void file_packet(const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    reply_begin();
    reply_send();
}
