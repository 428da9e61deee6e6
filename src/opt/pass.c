/* SPDX-License-Identifier: Apache-2.0
 * What lowering notes of the code that it writes: exits and entries of the state map. Owns no state but the pass. Under
 * jit_lock. */
#include "opt/pass.h"

u32 pass_add_exit(struct pass *b, gpc_t target, u8 *patch, enum exit_kind kind)
{
    ASSERT(b->nexits < PASS_MAX_EXITS);
    u16 version = kind == EXIT_KIND_BRANCH ? b->target_version : b->version;
    if (kind == EXIT_KIND_BRANCH && b->target_clone)
        version = b->target_clone;
    else if (kind == EXIT_KIND_STALE && b->clone)
        version = b->clone;
    if (kind == EXIT_KIND_BRANCH)
        dir_prefetch(version_key(target, version)); /* it will be linked, if there is such a trace (ahead_link) */
    b->exit[b->nexits] = (struct pass_exit){target, patch, NULL, (u8)kind, false, version, b->held, b->next_in, 0};
    return b->nexits++;
}

void pass_map(struct pass *b, const u8 *p, enum map_kind kind, gpc_t pc, u16 data)
{
    u32 off = (u32)(p - b->body);
    if (b->nmap && b->map[b->nmap - 1].off == off)
        b->nmap--; /* no code was written for the last entry, so this one takes its place */
    ASSERT(b->nmap < PASS_MAX_MAP);
    b->map[b->nmap++] = (struct map_entry){.off = off, .pc_off = (u16)(pc - b->pc), .data = data, .kind = (u8)kind,
        .held = b->held, .flags_held = b->flags_held, .next_in = b->next_in};
}

void pass_state(struct pass *b, const u8 *p, u8 how, gpc_t pc, u16 data)
{
    pass_map(b, p, (enum map_kind)arch_map_kind[how], pc, data);
    b->map[b->nmap - 1].how = how;
}
