/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. What lldb asks for beyond gdb's packets: what machine and process this is, and what is mapped at an
 * address (DB16). On the debugger's thread. */
#include "debug/stub.h"

#include "debug_regs.h"
#include "os/debugport.h"

#include <string.h>

static void add_machine(void)
{
    reply_text("triple:");
    reply_hex(DEBUG_TRIPLE, strlen(DEBUG_TRIPLE));
    reply_text(";ptrsize:8;endian:little;");
}

void lldb_host(const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    reply_begin();
    add_machine();
    reply_send();
}

void lldb_process(const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    reply_begin();
    reply_text("pid:%x;ostype:linux;", debugport_pid());
    add_machine();
    reply_send();
}

/* :address. Where nothing is mapped the answer is how far that goes. */
void lldb_region(const char *text, size_t bytes)
{
    struct debugport_region r;
    u64 at;
    (void)bytes;
    if (!take_char(&text, ':') || !take_hex(&text, &at)) {
        reply_error(1);
        return;
    }
    debugport_region(at, &r);
    reply_begin();
    reply_text("start:%lx;size:%lx;", r.start, r.end - r.start);
    if (r.mapped)
        reply_text("permissions:%s%s%s;", r.read ? "r" : "", r.write ? "w" : "", r.execute ? "x" : "");
    reply_send();
}
