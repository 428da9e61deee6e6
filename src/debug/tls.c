/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. Where a thread has a thread-local variable (qGetTLSAddr, DB15). The number of the variable's module is in
 * the libc's own record of the library; where in it, only the libc's build knows. It says so in a symbol for debuggers,
 * whose address the debugger is asked for (qSymbol). The rest is the architecture's ABI. On the debugger's thread. */
#include "debug/stub.h"

#include "debug_regs.h"
#include "os/debugport.h"

#include <string.h>

#define SYMBOL "_thread_db_link_map_l_tls_modid"
#define MAIN_MODULE 1u /* of a program without libraries, for which there is no record */
#define UNALLOCATED (~0ul)

static u64 field; /* address of {bits, count, offset} of the number in a record; 0: not known */

void tls_forget(void) { field = 0; }

static bool read_memory(u64 at, void *to, size_t bytes) { return debugport_read_memory(at, to, bytes) == bytes; }

/* Empty at first, then the answer to what was asked: value:name. */
void tls_symbols(const char *text, size_t bytes)
{
    u64 value;
    (void)bytes;
    bool answer = take_char(&text, ':') && take_hex(&text, &value);
    if (answer)
        field = value;
    reply_begin();
    if (!answer && !field && text[0] == ':' && !text[1]) { /* more symbols are there */
        reply_text("qSymbol:");
        reply_hex(SYMBOL, strlen(SYMBOL));
    } else {
        reply_text("OK");
    }
    reply_send();
}

static bool module_of(u64 record, u64 *module)
{
    u32 where[3]; /* bits, how many, offset */
    *module = MAIN_MODULE;
    if (!record)
        return true;
    return field && read_memory(field, where, sizeof where) && where[0] == 64 &&
           read_memory(record + where[2], module, sizeof *module);
}

/* The block of the module in the thread; false: it has none yet. */
static bool block_of(struct thread *t, u64 module, u64 *block)
{
    u64 vector, most;
    return read_memory(debug_regs_tls_vector(registers_of(t)), &vector, sizeof vector) &&
           read_memory(vector - DEBUG_TLS_SLOT_BYTES, &most, sizeof most) && module && module <= most &&
           read_memory(vector + module * DEBUG_TLS_SLOT_BYTES, block, sizeof *block) && *block != UNALLOCATED;
}

/* thread,offset,record */
void tls_address(const char *text, size_t bytes)
{
    u64 offset, record, module, block;
    (void)bytes;
    bool good = take_char(&text, ':');
    s64 tid = take_thread(&text);
    struct thread *t = tid > 0 ? control_thread((u64)tid) : NULL;
    good = good && t && take_char(&text, ',') && take_hex(&text, &offset) && take_char(&text, ',') &&
           take_hex(&text, &record);
    if (!good || !module_of(record, &module) || !block_of(t, module, &block)) {
        reply_error(1);
        return;
    }
    reply_begin();
    reply_text("%lx", block + offset);
    reply_send();
}
