/* SPDX-License-Identifier: Apache-2.0
 * Host memory (E17): every mapping that the engine makes for itself. It is kept in a registry, so that the guest's view
 * of its address space can leave it out. It is placed in the host zone: below the placeholder that the launcher has
 * mapped, outside of the guest's mmap area. Any thread; own lock. */
#ifndef LP_HOSTMEM_H
#define LP_HOSTMEM_H
#include "base/base.h"
#include "os/linux/boot.h"

/* Reads /proc/self/maps once: all that is not the guest's (boot->host ranges and whatever host ld.so mapped) is
 * registered as host. Sets the zone hint below the lowest host mapping near boot->placeholder. Call before any other
 * thread exists. */
void hostmem_init(const struct boot_info *boot);
/* Anonymous private memory in the host zone; NULL when the kernel says no. Falls back to any address. */
void *hostmem_map(size_t bytes, int prot);
/* Set by whoever can do something when the kernel says no (limits.c); true: worth another try. Called with the
 * registry's lock held. */
extern bool (*hostmem_make_room)(void);
/* The engine cannot go on without memory for `what`: one message, with the limit that is in the way, and exit. */
void hostmem_die(const char *what) NORETURN;
/* The same when hostmem_ran_out has been called already. */
void hostmem_die_told(const char *what) NORETURN;
/* Called, if set, when host memory has run out: before hostmem_die's message, and by malloc before it returns NULL.
 * No lock is held. */
extern void (*hostmem_ran_out)(size_t bytes);
void hostmem_tell_ran_out(size_t bytes);
/* From now on everything that has no place of its own is mapped in that range (-pin_memory_range). */
void hostmem_confine(u64 start, u64 end);
/* For the message when memory has run out: the user has said where it, or the code cache, may be. */
extern bool hostmem_ranges_named;
/* Is it in that range? True where there is none. */
bool hostmem_usual_place(u64 addr);
/* The same at an exact free place (MAP_FIXED_NOREPLACE), NULL if taken. */
void *hostmem_map_at(u64 addr, size_t bytes, int prot);
/* The same of the reserve (M5): between the libraries of the host and what is mapped later. NULL: nothing is left, or
 * there is none. */
void *hostmem_map_reserved(size_t bytes, int prot);
/* As hostmem_map, at a multiple of align (a power of two). */
void *hostmem_map_aligned(size_t bytes, size_t align, int prot);
/* Grows a block from hostmem_map*, in place or by moving its pages to a multiple of align. NULL: unchanged. */
void *hostmem_grow(void *old, size_t old_bytes, size_t new_bytes, size_t align);
void hostmem_unmap(void *addr, size_t bytes);
/* Another protection for a part of it; ends with a message when the kernel says no. */
void hostmem_protect(void *addr, size_t bytes, int prot);
/* mmap, munmap or mremap of a host library's: carries it out and keeps the registry true. */
s64 hostmem_library_call(u64 nr, const u64 *args);
/* Registers a range mapped by others (thread stacks before hostcalls.c has seen to libc). */
void hostmem_note(u64 start, u64 end);
/* libc has unmapped the range without our knowledge, and it is the guest's now. */
void hostmem_forget(u64 start, u64 end);
/* Is any byte of [start, end) host memory? */
bool hostmem_overlaps(u64 start, u64 end);
/* The first host range with end > addr. Both lookups take no lock and may be called from signal handlers. */
bool hostmem_next(u64 addr, u64 *start, u64 *end);
/* In between nothing of the host's is mapped or unmapped, and the caller, a guest's system call, takes no lock of a
 * lower rank and no memory. */
void hostmem_hold(void);
void hostmem_release(void);
/* The way-in's placeholder (neither host nor guest; the kernel may have joined it with a neighbour); false: none.
 * hostmem_drop_placeholder unmaps it, if there is one; !unmap: somebody else has. */
bool hostmem_placeholder(u64 *start, u64 *end);
void hostmem_drop_placeholder(bool unmap);
/* After a dlopen: whatever appeared in /proc/self/maps that is neither registered nor known to the guest map (gmap)
 * is host. */
void hostmem_rescan(void);
/* What is free of the reserve is unmapped. */
void hostmem_drop_reserve(void);
/* Without what is free of the reserve (M5). */
u64 hostmem_total_bytes(void);
/* The process dies: its core is to have the guest's memory only. Takes no lock. */
void hostmem_keep_from_core(void);
/* How much of the host's memory in [start, end) is in the page tables; 0 where the kernel does not say. */
u64 hostmem_resident_bytes(u64 start, u64 end);
/* Around a fork (hostmalloc_before_fork does it): holds the registry, all signals blocked in between; the holder may
 * go on using hostmem. */
void hostmem_before_fork(void);
void hostmem_after_fork(bool child);
#endif
