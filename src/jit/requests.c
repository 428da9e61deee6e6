/* SPDX-License-Identifier: Apache-2.0
 * See requests.h. Owns the list of what tools have asked for and what is not done yet. jit_lock held. */
#include "jit/requests.h"

#include "jit/jit_internal.h"
#include "jit/pages.h"

#define MAX_RANGES 64

struct range {
    gpc_t start, end; /* end 0: traces that start there */
};

static u32 working;
static bool flush_waits;
static struct range waiting[MAX_RANGES];
static u32 nwaiting;
bool jit_requests_wait;

bool jit_works(void) { return working != 0; }
void jit_work_begin(void) { working++; }
void jit_work_end(void) { working--; }

u32 jit_work_pause(void)
{
    u32 depth = working;
    working = 0;
    return depth;
}

void jit_work_again(u32 depth) { working = depth; }

static u32 counted;
static gpc_t only_at;

static void count_one(struct trace *t)
{
    counted += !only_at || t->pc == only_at;
}

static void kill_one(struct trace *t)
{
    if (!only_at || t->pc == only_at)
        jit_kill(t);
}

static u32 each(const struct range *r, void (*f)(struct trace *))
{
    counted = 0;
    only_at = r->end ? 0 : r->start;
    pages_each_trace(r->start, r->end ? r->end : r->start + 1, f);
    return counted;
}

static void remove_range(const struct range *r) { each(r, kill_one); }

void jit_request_flush(void)
{
    if (working)
        flush_waits = jit_requests_wait = true;
    else
        jit_flush_locked();
}

static u32 request(struct range r)
{
    u32 n = each(&r, count_one);
    if (!n)
        return 0;
    if (!working) {
        remove_range(&r);
    } else if (nwaiting == MAX_RANGES) {
        jit_request_flush(); /* this removes more than was asked for, which is always allowed */
    } else {
        waiting[nwaiting++] = r;
        jit_requests_wait = true;
    }
    return n;
}

u32 jit_request_removal(gpc_t start, gpc_t end) { return end > start ? request((struct range){start, end}) : 0; }
u32 jit_request_removal_at(gpc_t pc) { return request((struct range){pc, 0}); }

void jit_requests_carry_out(void)
{
    jit_requests_wait = false;
    u32 n = nwaiting;
    nwaiting = 0;
    if (flush_waits) {
        flush_waits = false;
        jit_flush_locked();
        return;
    }
    for (u32 i = 0; i < n; i++)
        remove_range(&waiting[i]);
}
