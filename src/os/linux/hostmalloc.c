/* SPDX-License-Identifier: Apache-2.0
 * The host's malloc, interposed by the engine executable for libc and tools: thread caches over hostheap, and the C
 * interface. Memory comes only from hostmem, never from brk (the break is the guest's). Never called by guest code, not
 * usable in signal handlers.
 *
 *  H3  A thread cache that is all zero is empty, and the next use takes the slow path: nothing needs to run before
 *      the first malloc. A closed cache (thread at its end) has no blocks and a full count, so that every call goes
 *      to the central lists. */
#include "os/linux/hostmalloc.h"
#include "os/linux/hostheap.h"
#include "os/hostlock.h"
#include "os/hostmem.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define CACHE_BYTES 65536ul       /* how much of one class a thread's cache may hold; it may always hold one block */
#define CACHE_BLOCKS 64ul
#define CLOSED 0xffff             /* count of a closed cache */
#define ZERO_BYTES 256ul

struct cache {
    void *first[CLASSES];
    u16 count[CLASSES];
    bool known, closed;
    u8 rounds;                /* of destructors at thread end */
};

static __thread struct cache tc __attribute__((tls_model("local-exec")));

static u16 cache_limit[CLASSES]; /* 0 until set_up has run: slow path */
static bool ready;
static struct hostlock set_up_lock = HOSTLOCK(LOCK_HEAP_START);

static pthread_key_t thread_key;
static bool have_key;

/* --- thread caches ------------------------------------------------------------------------------------------------ */

/* Gives back the blocks after the first `keep`. */
static void cache_trim(u32 c, u32 keep)
{
    void **link = &tc.first[c];
    for (u32 i = 0; i < keep && *link; i++)
        link = *link;
    void *rest = *link;
    *link = NULL;
    tc.count[c] = (u16)keep;
    if (rest)
        hostheap_give(c, rest);
}

/* Gives the cache's blocks back and closes it (H3). */
void hostmalloc_thread_end(void)
{
    int saved = errno;
    for (u32 c = 0; c < CLASSES && !tc.closed; c++) {
        cache_trim(c, 0);
        tc.count[c] = CLOSED;
    }
    tc.closed = true;
    errno = saved;
}

/* On the only thread that there is. */
void hostmalloc_confined(void)
{
    for (u32 c = 0; c < CLASSES; c++)
        cache_trim(c, 0);
    hostheap_confined();
}

/* Other destructors may still allocate and free: the cache is given back in the last round. */
static void thread_destructor(void *cache)
{
    if (++tc.rounds >= PTHREAD_DESTRUCTOR_ITERATIONS || pthread_setspecific(thread_key, cache) != 0)
        hostmalloc_thread_end();
}

static void fork_parent(void)
{
    hostmalloc_after_fork(false);
}

static void fork_child(void)
{
    hostmalloc_after_fork(true);
}

/* Called early, so that these atfork handlers are the first that are registered: their prepare part runs last and
 * the others run first, so that other handlers may allocate. */
__attribute__((constructor(101))) static void start(void)
{
    have_key = pthread_key_create(&thread_key, thread_destructor) == 0;
    if (pthread_atfork(hostmalloc_before_fork, fork_parent, fork_child) != 0)
        hostmem_die("the start");
}

static void set_up(void)
{
    hostlock_take(&set_up_lock);
    if (!ready)
        hostheap_init();
    for (u32 c = 0; c < CLASSES && !ready; c++) {
        size_t n = CACHE_BYTES / class_bytes(c);
        __atomic_store_n(&cache_limit[c], (u16)(n > CACHE_BLOCKS ? CACHE_BLOCKS : n ? n : 1), __ATOMIC_RELAXED);
    }
    __atomic_store_n(&ready, true, __ATOMIC_RELEASE);
    hostlock_give(&set_up_lock);
}

/* On the first slow path of a thread: makes libc call us at the thread's end. The main thread's cache need not be
 * given back. */
static void cache_begin(void)
{
    if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        set_up();
    if (tc.known || !have_key)
        return;
    tc.known = true;
    pthread_setspecific(thread_key, &tc);
}

/* There is no memory beyond -pin_memory_size: whoever must know is told (the limit is lifted for that), and the
 * process ends. Where the kernel refuses memory they are told, too, and may free some. */
static __attribute__((noinline)) void ran_out(size_t bytes)
{
    static bool over;
    u64 limit = hostheap_drop_limit();
    if (limit)
        __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    while (!limit && __atomic_load_n(&over, __ATOMIC_RELAXED))
        pause(); /* another thread is doing that already */
    hostmem_tell_ran_out(bytes);
    if (limit)
        die(1,
            "out of memory: %lu bytes were asked for, and with them tool and engine would have more than the %lu KiB "
            "of -pin_memory_size; allow more, or let the tool keep less",
            bytes, limit / 1024);
    errno = ENOMEM;
}

/* Blocks for the thread's cache, of which the first is taken; NULL: there is no memory. */
static void *refill(u32 c)
{
    int saved = errno;
    cache_begin();
    void **p;
    u32 want = tc.closed ? 1 : (cache_limit[c] + 1u) / 2, got = hostheap_take(c, want, (void **)&p);
    errno = saved;
    if (got && !tc.closed) {
        /* pthread_setspecific above may have allocated, so the cache need not be empty any more. */
        void **last = p;
        while (*last)
            last = *last;
        *last = tc.first[c];
        tc.first[c] = *p;
        tc.count[c] = (u16)(tc.count[c] + got - 1);
    }
    return got ? p : NULL;
}

static inline void *first_of_cache(u32 c)
{
    void **p = tc.first[c];
    tc.first[c] = *p;
    tc.count[c]--;
    return p;
}

/* Nobody looks whether there is memory for a small block: without any the process ends. */
static __attribute__((noinline)) void *small_slow(u32 c)
{
    void *p = refill(c);
    if (LIKELY(p))
        return p;
    ran_out(class_bytes(c));
    p = tc.first[c] ? first_of_cache(c) : refill(c);
    if (!p)
        hostmem_die_told("tool and engine");
    return p;
}

static inline void *small_take(u32 c)
{
    return LIKELY(tc.first[c]) ? first_of_cache(c) : small_slow(c);
}

static __attribute__((noinline)) void small_free_slow(void **p, u32 c)
{
    int saved = errno;
    cache_begin();
    if (tc.closed) {
        *p = NULL;
        hostheap_give(c, p);
    } else {
        if (tc.count[c] >= cache_limit[c])
            cache_trim(c, cache_limit[c] / 2);
        *p = tc.first[c];
        tc.first[c] = p;
        tc.count[c]++;
    }
    errno = saved;
}

/* --- the interface ------------------------------------------------------------------------------------------------ */

static __attribute__((noinline)) void *big_take(size_t bytes, size_t align, bool *zero)
{
    void *p = hostheap_big_new(bytes, align, zero);
    if (LIKELY(p))
        return p;
    ran_out(bytes);
    return hostheap_big_new(bytes, align, zero);
}

static inline void *allocate(size_t bytes, bool *zero)
{
    *zero = false;
    return LIKELY(bytes <= SMALL_MAX) ? small_take(class_for(bytes)) : big_take(bytes, MIN_ALIGN, zero);
}

/* Small blocks are zero: with Pin's allocator they nearly always were, and published tools count on it without
 * knowing (A24). */
EXPORT void *malloc(size_t bytes)
{
    bool zero;
    void *p = allocate(bytes, &zero);
    if (bytes <= ZERO_BYTES && !zero && p)
        memset(p, 0, bytes);
    return p;
}

/* NULL, or a block aligned to a segment. */
static __attribute__((noinline)) void free_odd(void *p)
{
    int saved = errno;
    if (p)
        hostheap_big_free(head_of(p));
    errno = saved;
}

static void release(void *p)
{
    if (UNLIKELY(!((u64)p & SEG_MASK))) {
        free_odd(p);
        return;
    }
    const struct head *h = (const struct head *)((u64)p & ~SEG_MASK);
    u32 c = h->class_of[unit_of(p)];
    if (UNLIKELY(c >= CLASSES)) {
        int saved = errno;
        if (c != CLASS_BIG)
            BUG("free of %p, which is not in use", p);
        hostheap_big_free(head_of(p));
        errno = saved;
    } else if (UNLIKELY(tc.count[c] >= cache_limit[c])) {
        small_free_slow(p, c);
    } else {
        *(void **)p = tc.first[c];
        tc.first[c] = p;
        tc.count[c]++;
    }
}

EXPORT void free(void *p)
{
    release(p);
}

EXPORT void *calloc(size_t n, size_t each)
{
    size_t bytes;
    bool zero;
    if (__builtin_mul_overflow(n, each, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    void *p = allocate(bytes, &zero);
    if (p && !zero)
        memset(p, 0, bytes);
    return p;
}

static size_t usable(const void *p)
{
    const struct head *h = head_of(p);
    u32 c = h->class_of[unit_of(p)];
    return c < CLASSES ? class_bytes(c) : h->bytes - h->offset;
}

static void *reallocate(void *p, size_t bytes)
{
    size_t old = usable(p);
    if (old > SMALL_MAX) {
        void *same = hostheap_big_resize(head_of(p), bytes);
        if (same)
            return same;
    } else if (bytes <= old && (bytes > old / 2 || old <= 64)) {
        return p;
    }
    bool zero;
    void *copy = allocate(bytes, &zero);
    if (!copy)
        return NULL;
    memcpy(copy, p, bytes < old ? bytes : old);
    release(p);
    return copy;
}

EXPORT void *realloc(void *p, size_t bytes)
{
    bool zero;
    if (!p)
        return allocate(bytes, &zero);
    if (bytes == 0) {
        release(p);
        return NULL;
    }
    return reallocate(p, bytes);
}

EXPORT void *reallocarray(void *p, size_t n, size_t each)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, each, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, bytes);
}

/* align: a power of two. Runs begin at units, so a class whose size is a multiple of align is aligned by itself. */
static void *allocate_aligned(size_t align, size_t bytes)
{
    bool zero;
    if (align <= MIN_ALIGN)
        return allocate(bytes, &zero);
    if (align <= UNIT_BYTES && bytes <= SMALL_MAX) {
        u32 c = class_for(bytes > align ? bytes : align);
        while (c < CLASSES && class_bytes(c) % align != 0)
            c++;
        if (c < CLASSES)
            return small_take(c);
    }
    return big_take(bytes, align, &zero);
}

static bool power_of_two(size_t n)
{
    return n && !(n & (n - 1));
}

EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
    if (!power_of_two(align)) {
        errno = EINVAL;
        return NULL;
    }
    return allocate_aligned(align, bytes);
}

/* glibc's: any number is rounded up to an alignment. */
EXPORT void *memalign(size_t align, size_t bytes)
{
    if (align > SIZE_LIMIT / 2) {
        errno = EINVAL;
        return NULL;
    }
    size_t up = MIN_ALIGN;
    while (up < align)
        up *= 2;
    return allocate_aligned(up, bytes);
}

EXPORT int posix_memalign(void **out, size_t align, size_t bytes)
{
    if (!power_of_two(align)) /* a small one is one, too: tools for Pin find it so in its C library */
        return EINVAL;
    int saved = errno;
    void *p = allocate_aligned(align, bytes);
    errno = saved;
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

EXPORT void *valloc(size_t bytes)
{
    return allocate_aligned(PAGE_BYTES, bytes);
}

EXPORT void *pvalloc(size_t bytes)
{
    if (bytes > SIZE_LIMIT) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate_aligned(PAGE_BYTES, PAGE_UP(bytes));
}

EXPORT size_t malloc_usable_size(void *p)
{
    return p ? usable(p) : 0;
}

/* --- fork --------------------------------------------------------------------------------------------------------- */

void hostmalloc_before_fork(void)
{
    hostmem_before_fork();
    hostheap_before_fork();
}

void hostmalloc_after_fork(bool child)
{
    hostheap_after_fork(child);
    hostmem_after_fork(child);
}
