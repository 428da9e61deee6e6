/* SPDX-License-Identifier: Apache-2.0
 * See clones.h. Owns the numbers of clones and which call each is for. Under jit_lock. */
#include "jit/clones.h"

#include "arch/arch.h"
#include "base/options.h"
#include "jit/jit_internal.h"
#include "opt/pass.h"
#include "os/gmap.h"
#include "os/os.h"

#include <string.h>

#define MAX_CLONES 4095u
#define SLOTS 8192u
#define HOT 200000u /* returns */
#define MAX_INSNS 256u /* of a function that is cloned */
#define SEEN_SLOTS 1024u

bool clones_used;
static gpc_t returns_to[MAX_CLONES + 1];
static u16 slot[SLOTS]; /* hash table from return address to the clone's number; 0: empty */
static u32 count;

void clones_init(void)
{
    clones_used = !options.tool && !options.no_clone && arch_info.call_bytes && ibt_mixes;
    ibt_hot = options.clone_after ? options.clone_after : HOT;
}

static u16 *find(gpc_t ret)
{
    u32 i = (u32)(ret * DIR_HASH_MULTIPLIER >> 51);
    while (slot[i] && returns_to[slot[i]] != ret)
        i = (i + 1) % SLOTS;
    return &slot[i];
}

u16 clones_for_call(gpc_t ret) { return count ? *find(ret) : 0; }

gpc_t clones_return(u16 n) { return n <= count ? returns_to[n] : 0; }

/* Is there a direct call before pc, and of what? */
static bool call_before(gpc_t pc, gpc_t *callee)
{
    struct insn in;
    u8 bytes[16];
    size_t n = arch_info.call_bytes;
    struct gmap_area before; /* a fault that os_safe_copy comes back from is dear */
    if ((pc & (PAGE_BYTES - 1)) < n && !(gmap_find(pc - n, &before) && before.flags & GMAP_READ))
        return false;
    if (pc < n || os_safe_copy(bytes, (void *)(pc - n), n) != n || !decode_insn(&in, pc - n, bytes, n) ||
        in.effect.cls != EFFECT_CALL)
        return false;
    *callee = in.target;
    return true;
}

bool clones_count(gpc_t pc)
{
    gpc_t callee;
    if (!clones_used || count == MAX_CLONES || !call_before(pc, &callee))
        return false;
    const struct trace *t = dir_find(callee);
    return t && (t->flags & TRACE_RETURNS || options.clone_after);
}

/* The instructions of a function that are reached without calls. */
struct scan {
    gpc_t start, end; /* of the code around it */
    gpc_t seen[SEEN_SLOTS], todo[MAX_INSNS];
    u32 ninsns, ntodo;
    bool returns;
};

/* False: it was there before. */
static bool note(struct scan *s, gpc_t pc)
{
    u32 i = (u32)(pc * DIR_HASH_MULTIPLIER >> 54);
    for (; s->seen[i]; i = (i + 1) % SEEN_SLOTS)
        if (s->seen[i] == pc)
            return false;
    s->seen[i] = pc;
    return true;
}

/* From pc to where it goes on elsewhere. False: too much, or it cannot be read. */
static bool scan_run(struct scan *s, gpc_t pc)
{
    struct insn in;
    u8 bytes[15];
    for (; note(s, pc); pc += in.len) {
        if (++s->ninsns > MAX_INSNS || pc < s->start || pc >= s->end)
            return false;
        size_t have = os_safe_copy(bytes, (void *)pc, s->end - pc < sizeof bytes ? s->end - pc : sizeof bytes);
        if (!decode_insn(&in, pc, bytes, have))
            return false;
        s->returns |= insn_is_return(&in);
        if (insn_is_branch(&in) || in.effect.cls == EFFECT_JUMP)
            s->todo[s->ntodo++] = in.target; /* no more than there are instructions */
        if (insn_ends_trace(&in))
            break;
    }
    return true;
}

/* Is there a way through the function, without calls, to a return? False also: it is too long, or leaves the code from
 * start to end. */
static bool way_returns(gpc_t callee, gpc_t start, gpc_t end)
{
    static struct scan s;
    memset(&s, 0, sizeof s);
    s.start = start;
    s.end = end;
    s.todo[s.ntodo++] = callee;
    while (s.ntodo)
        if (!scan_run(&s, s.todo[--s.ntodo]))
            return false;
    return s.returns;
}

/* Code that the guest can write is not cloned. */
static bool worth(gpc_t callee)
{
    struct gmap_area a;
    return gmap_find(callee, &a) &&
           (a.flags & (GMAP_READ | GMAP_EXEC | GMAP_WRITE | GMAP_SHARED)) == (GMAP_READ | GMAP_EXEC) &&
           way_returns(callee, a.start, a.end);
}

void clones_hot(gpc_t pc)
{
    gpc_t callee;
    if (count == MAX_CLONES || !call_before(pc, &callee) || !worth(callee))
        return;
    u16 *at = find(pc);
    struct trace *t = dir_find(callee);
    if (*at)
        return;
    returns_to[*at = (u16)++count] = pc;
    if (t)
        link_redirect(t, pc, *at);
    jit_stats.clones++;
    log_at(2, "clone %u: %lx called before %lx", *at, callee, pc);
}

void clones_forget(void)
{
    count = 0;
    memset(slot, 0, sizeof slot);
}
