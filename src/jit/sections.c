/* SPDX-License-Identifier: Apache-2.0
 * See sections.h. What is known of sections is the system layer's (os/linux/rseq.c); here is what that means for
 * traces. Owns no state. */
#include "jit/sections.h"

#include "arch/arch.h"
#include "jit/instrument.h"
#include "jit/jit_internal.h"
#include "jit/pages.h"
#include "opt/hooks.h"
#include "opt/live.h"
#include "os/thread.h"

#include <string.h>

static void note(u64 descriptor)
{
    struct os_section s;
    if (!os_section_note(descriptor, &s))
        return;
    if (instrument_active()) { /* code that leads there may take registers for dead that are needed after the section */
        live_forget_code();
        jit_flush_locked();
    } else {
        pages_each_trace(s.start, s.end, jit_kill);
    }
}

/* Is what it makes or loads stored at once? */
static bool is_stored(const struct pass *b, const struct insn *in)
{
    gpc_t next = in->pc + in->len;
    u8 bytes[4];
    size_t left = b->pc + b->guest_bytes - next;
    if (left >= sizeof bytes)
        return arch_insn_stores_address(in, b->source + (next - b->pc), left);
    return arch_insn_stores_address(in, bytes, os_safe_copy(bytes, (void *)next, sizeof bytes));
}

/* Memory that a program names need not be in use, so it is looked at only where the address is stored at once, until a
 * section is known. */
static void seek(const struct pass *b, const struct insn *in)
{
    bool loads;
    u64 address = arch_insn_address(in, &loads);
    if (!address || address % (loads ? sizeof address : OS_SECTION_ALIGN) || (!os_sections && !is_stored(b, in)))
        return;
    if (!loads || os_safe_copy(&address, (void *)address, sizeof address) == sizeof address)
        note(address);
}

bool sections_seek(const struct pass *b)
{
    u32 known = os_sections;
    for (u32 i = 0; i < b->ninsns; i++)
        if (insn_may_name(&b->insn[i]))
            seek(b, &b->insn[i]);
    return os_sections != known;
}

void sections_learn(void)
{
    u64 now = os_section_now();
    if (UNLIKELY(now))
        note(now);
}

void sections_lower(struct pass *b, const struct insn *in)
{
    b->section_from = b->section_from ? b->section_from : b->p;
    arch_lower_hooks(b, in, HOOK_SECTION);
}

/* They end where the last of them has had its effect. */
struct section_code sections_code(const struct pass *b)
{
    u32 from = (u32)(b->section_from - b->body), last = (u32)(b->insn[b->ninsns - 1].pc - b->pc);
    for (u32 i = 0; i < b->nmap; i++) {
        const struct map_entry *m = &b->map[i];
        bool after = m->pc_off > last || (m->pc_off == last && (m->kind == MAP_TARGET || m->kind == MAP_LEAVING));
        if (m->off > from && after)
            return (struct section_code){from, m->off};
    }
    return (struct section_code){from, (u32)(b->p - b->body)};
}

bool sections_enter(const struct trace *t)
{
    struct section_code c;
    memcpy(&c, t->records - sizeof c, sizeof c);
    return os_section_enter((u64)t->body + c.from, c.to - c.from, vm_tc.jit.fell);
}
