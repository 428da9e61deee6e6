/* SPDX-License-Identifier: Apache-2.0
 * State maps in few bytes (E2). An entry is a byte that has its kind and says what follows; then the distance of
 * `off` from the entry before; then that of `pc_off`, unless it is the same; then the other fields that are not 0 or
 * as in the entry before. Copied instructions in a row are one entry. Most traces need 10 to 20 bytes; they are read
 * only for signals, faults and the like. */
#include "cache/cache.h"

#include "base/varint.h"

enum { KIND = 31, COPIED = 32, SAME_STEP = 64, MORE = 128 };
enum { MORE_WAITS = 1, MORE_CALLS_DONE = 2, MORE_STEPPED = 4, MORE_DATA = 8, MORE_HELD = 16,
    MORE_NEXT_IN = 32 /* differs from the entry before */, MORE_FLAGS = 64 };

/* One number for kind and `how`, because each `how` belongs to one kind. */
static u8 number_of(const struct map_entry *e) { return e->how ? (u8)(MAP_KINDS - 1 + e->how) : e->kind; }
static u8 how_of(u8 number) { return number < MAP_KINDS ? 0 : (u8)(number - (MAP_KINDS - 1)); }

static u8 more(const struct map_entry *e, const struct map_entry *last)
{
    return (u8)((e->waits ? MORE_WAITS : 0) | (e->calls_done ? MORE_CALLS_DONE : 0) | (e->stepped ? MORE_STEPPED : 0) |
                (e->data ? MORE_DATA : 0) | (e->held != last->held ? MORE_HELD : 0) |
                (e->next_in != last->next_in ? MORE_NEXT_IN : 0) | (e->flags_held ? MORE_FLAGS : 0));
}

static bool goes_on(const struct map_entry *last, const struct map_entry *e)
{
    return last->copied && e->copied && e->held == last->held && e->next_in == last->next_in &&
           e->waits == last->waits && e->calls_done == last->calls_done && e->stepped == last->stepped &&
           e->flags_held == last->flags_held && e->off - last->off == (u32)e->pc_off - last->pc_off;
}

u8 *map_encode(u8 *to, const struct map_entry *e, u32 n)
{
    struct map_entry last = {.off = 0};
    for (const struct map_entry *end = e + n; e < end; e++) {
        if (goes_on(&last, e))
            continue;
        u8 also = more(e, &last);
        bool same = e->off - last.off == (u32)e->pc_off - last.pc_off;
        *to++ = (u8)(number_of(e) | (e->copied ? COPIED : 0) | (same ? SAME_STEP : 0) | (also ? MORE : 0));
        to = varint_put(to, e->off - last.off);
        if (!same)
            to = varint_put_signed(to, e->pc_off - last.pc_off);
        if (also) {
            *to++ = also;
            if (also & MORE_DATA)
                to = varint_put(to, e->data);
            if (also & MORE_HELD)
                to = varint_put(to, e->held);
            if (also & MORE_NEXT_IN)
                *to++ = e->next_in;
        }
        last = *e;
    }
    return to;
}

void map_begin(struct map_reader *r, const struct trace *t)
{
    *r = (struct map_reader){.at = t->records, .end = t->records + t->map_bytes};
}

bool map_next(struct map_reader *r)
{
    if (r->at == r->end)
        return false;
    u8 head = *r->at++;
    u32 step = (u32)varint_get(&r->at);
    s64 pc_step = head & SAME_STEP ? (s64)step : varint_get_signed(&r->at);
    u8 also = head & MORE ? *r->at++ : 0;
    u16 data = also & MORE_DATA ? (u16)varint_get(&r->at) : 0;
    reg_set held = also & MORE_HELD ? (reg_set)varint_get(&r->at) : r->e.held;
    u8 next_in = also & MORE_NEXT_IN ? *r->at++ : r->e.next_in;
    u8 how = how_of(head & KIND);
    r->e = (struct map_entry){.off = r->e.off + step, .pc_off = (u16)(r->e.pc_off + pc_step), .data = data,
        .kind = how ? arch_map_kind[how] : head & KIND, .how = how, .waits = also & MORE_WAITS,
        .calls_done = also & MORE_CALLS_DONE,
        .stepped = also & MORE_STEPPED, .flags_held = also & MORE_FLAGS, .copied = head & COPIED, .next_in = next_in,
        .held = held};
    return true;
}

struct map_entry map_at(const struct trace *t, u64 off)
{
    struct map_reader r;
    struct map_entry m;
    map_begin(&r, t);
    if (!map_next(&r))
        BUG("the trace at guest %lx has no map", t->pc);
    do
        m = r.e;
    while (map_next(&r) && r.e.off <= off);
    if (m.copied) {
        m.pc_off = (u16)(m.pc_off + (off - m.off));
        m.off = (u32)off;
    }
    return m;
}
