/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. The registers of stopped threads, as the debugger sees and changes them. A thread's state is copied when
 * it is first asked for; what was changed is given to the thread before it goes on, and the thread itself makes the
 * change (pause.h). A thread that waits in a system call is taken out of it when its registers have changed (DB7). */
#include "debug/stub.h"

#include "context.h"
#include "debug_regs.h"
#include "os/hostmem.h"
#include "vm/pause.h"

#include <stdlib.h>
#include <string.h>

struct view {
    struct bridge_state was, now;
    struct thread *thread;
    struct view *next;
};

static struct view *views;

static bool in_call(const struct thread *t)
{
    return __atomic_load_n(&t->vm.pause_state, __ATOMIC_SEQ_CST) == PAUSE_SAFE;
}

static void fill(struct bridge_state *s, const struct thread *t, const struct pause_change *c)
{
    u64 *word = (u64 *)s;
    s->kind = CONTEXT_COPY;
    context_take(s, &t->cpu);
    s->fs_base = t->vm.pause_tls;
    debug_regs_no_call(s);
    if (in_call(t))
        debug_regs_in_call(s);
    for (u32 i = 0; c && i < c->n; i++)
        if (c->word[i] != c->word[c->n + i])
            word[i] = c->word[c->n + i];
}

struct bridge_state *registers_of(struct thread *t)
{
    for (struct view *v = views; v; v = v->next)
        if (v->thread == t)
            return &v->now;
    struct view *v = aligned_alloc(64, sizeof *v);
    if (!v)
        hostmem_die("the registers of a stopped thread");
    memset(v, 0, sizeof *v);
    v->thread = t;
    fill(&v->was, t, NULL);
    fill(&v->now, t, __atomic_load_n(&t->vm.pause_change, __ATOMIC_ACQUIRE));
    v->next = views;
    views = v;
    return &v->now;
}

static void give_changes(struct view *v)
{
    struct thread *t = v->thread;
    u32 n = sizeof v->was / sizeof(u64);
    if (!memcmp(&v->was, &v->now, sizeof v->was))
        return;
    if (!in_call(t))
        debug_regs_restart(&v->now);
    pause_change(t, (u64 *)&v->was, (u64 *)&v->now, n);
    if (in_call(t))
        os_poke_thread(t->os.tid);
}

void registers_forget(void)
{
    for (struct view *v = views, *next; v; v = next) {
        next = v->next;
        give_changes(v);
        free(v);
    }
    views = NULL;
}

/* --- by number: the engine's, or those that the tool describes ---------------------------------------------------- */

static u32 reg_bytes(u32 n) { return debug_hooks.reg_bytes ? debug_hooks.reg_bytes(n) : debug_reg_bytes(n); }

static void reg_get(struct thread *t, u32 n, void *out)
{
    if (debug_hooks.reg_get)
        debug_hooks.reg_get(t, registers_of(t), n, out);
    else
        debug_reg_get(registers_of(t), n, out);
}

static bool reg_set(struct thread *t, u32 n, const void *in)
{
    return debug_hooks.reg_set ? debug_hooks.reg_set(t, registers_of(t), n, in)
                               : debug_reg_set(registers_of(t), n, in);
}

void registers_reply(struct thread *t)
{
    u8 value[DEBUG_REG_MOST_BYTES];
    u32 bytes;
    for (u32 i = 0; (bytes = reg_bytes(i)); i++) {
        reg_get(t, i, value);
        reply_hex(value, bytes);
    }
}

void registers_reply_unknown(void)
{
    u32 bytes;
    for (u32 i = 0; (bytes = reg_bytes(i)); i++)
        for (u32 k = 0; k < bytes; k++)
            reply_text("xx");
}

bool registers_write(struct thread *t, const char *hex)
{
    u8 value[DEBUG_REG_MOST_BYTES];
    u32 bytes;
    for (u32 i = 0; (bytes = reg_bytes(i)) && *hex; i++, hex += 2 * bytes) {
        if (strlen(hex) < 2 * bytes)
            return false;
        if (take_bytes(hex, value, bytes) == bytes)
            reg_set(t, i, value);
        else if (hex[0] != 'x') /* not known to the debugger: stays */
            return false;
    }
    return true;
}

bool register_reply(struct thread *t, u32 n)
{
    u8 value[DEBUG_REG_MOST_BYTES];
    if (!reg_bytes(n))
        return false;
    reg_get(t, n, value);
    reply_hex(value, reg_bytes(n));
    return true;
}

bool register_write(struct thread *t, u32 n, const char *hex)
{
    u8 value[DEBUG_REG_MOST_BYTES];
    u32 bytes = reg_bytes(n);
    return bytes && take_bytes(hex, value, bytes) == bytes && reg_set(t, n, value);
}

void registers_at_stop(struct thread *t)
{
    u32 n;
    for (u32 i = 0; !debug_hooks.reg_bytes && (n = debug_reg_at_stop(i)) != ~0u; i++) {
        reply_text("%02x:", n);
        register_reply(t, n);
        reply_text(";");
    }
}
