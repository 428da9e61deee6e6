/* SPDX-License-Identifier: Apache-2.0
 * Guest pages that code was translated from, and how changes to them are noticed (E16). Under jit_lock. */
#ifndef LP_JIT_PAGES_H
#define LP_JIT_PAGES_H
#include "cache/cache.h"
#include "os/gmap.h"

struct page_use {
    struct trace *trace;
    struct page_use *next;
};

#define PAGE_PARTS 16u /* so that the list is short in which a trace is looked for that goes */

struct page {
    u64 addr;
    u32 first[PAGE_PARTS];  /* number + 1 of a trace that starts in that part of it (next_in_page) */
    struct page_use *uses;  /* traces that start in the page before */
    struct page *next;   /* hash chain */
    u32 write_faults;
    bool protected;      /* for the kernel it is not writable, for the guest it is */
    bool checked;        /* not protected: its traces are checked */
    bool opened;         /* the kernel has it with write permission although it is `protected` (pages_open). Atomic */
};

/* Off: a tool has said that the program does not change its code (PIN_SetSmcSupport). */
extern bool pages_watched;
/* To be called before code is read from the page: makes sure that later changes are noticed. True: its traces must be
 * checked ones. */
bool pages_watch(u64 addr, const struct gmap_area *area);
void pages_add_trace(struct trace *t);
void pages_remove_trace(struct trace *t);
void pages_prefetch(u64 addr);
struct page *pages_find(u64 addr); /* a page that is found stays: without jit_lock, too */
/* Without jit_lock: gives the kernel the guest's protection back, and leaves the rest to pages_each_opened. False: no
 * such page. */
bool pages_open(u64 addr);
void pages_each_opened(void (*f)(struct page *)); /* once for each */
/* Calls f for the traces with code in [start, end); f may remove the trace. */
void pages_each_trace(u64 start, u64 end, void (*f)(struct trace *));
/* Gives the kernel the guest's protection back for protected pages in the range. */
void pages_unprotect(u64 start, u64 end);
void pages_forget_traces(void); /* after a flush: no page has traces */
u32 pages_protected_count(void);
u64 pages_bytes(void); /* memory that this file uses */
/* Counts a write to a protected page. True: from now on its traces are checked. */
bool pages_written(struct page *p);

#endif
