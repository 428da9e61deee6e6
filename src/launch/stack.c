/* SPDX-License-Identifier: Apache-2.0
 * Builds the image of an initial process stack, byte for byte where the kernel would put things: from the top a zero
 * word, execfn, environment and argument strings, a random slide, platform, 16 random bytes, auxv, pointers, argc.
 * Used for the host's stack and, in-process, for the guest's. Touches no memory but its buffer. */
#include "launch/launch.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

/* The guest's libc owns rseq. Stacks of the tool's threads are never unmapped, so that they stay known as the host's
 * (hosttask.c). */
#define HOST_TUNABLES "GLIBC_TUNABLES=glibc.pthread.rseq=0:glibc.pthread.stack_cache_size=0x7fffffffffff"

u64 *auxv_find(struct auxv *a, u64 tag)
{
    for (int i = 0; i < a->words; i += 2)
        if (a->word[i] == tag)
            return &a->word[i + 1];
    return NULL;
}

void auxv_set(struct auxv *a, u64 tag, u64 value)
{
    u64 *place = auxv_find(a, tag);
    if (place)
        *place = value;
}

void auxv_add(struct auxv *a, u64 tag, u64 value)
{
    ASSERT(a->words + 2 <= 2 * AUXV_MAX);
    u64 *last = a->word + a->words - 2;
    last[2] = AT_NULL;
    last[3] = 0;
    last[0] = tag;
    last[1] = value;
    a->words += 2;
}

void auxv_add_first(struct auxv *a, u64 tag, u64 value)
{
    ASSERT(a->words + 2 <= 2 * AUXV_MAX);
    memmove(a->word + 2, a->word, (size_t)a->words * sizeof a->word[0]);
    a->words += 2;
    a->word[0] = tag;
    a->word[1] = value;
}

void auxv_copy(struct auxv *a, const u64 *words)
{
    a->words = 0;
    do {
        ASSERT(a->words + 2 <= 2 * AUXV_MAX);
        memcpy(a->word + a->words, words + a->words, 16);
        a->words += 2;
    } while (a->word[a->words - 2] != AT_NULL);
}

struct builder {
    u8 *buf;
    u64 bytes;
    u64 top, at; /* addresses in the process that is being made; buf ends at top */
};

static u8 *place(struct builder *b, u64 at)
{
    ASSERT(at <= b->top && b->top - at <= b->bytes);
    return b->buf + b->bytes - (b->top - at);
}

static u64 push(struct builder *b, const void *data, u64 bytes)
{
    b->at -= bytes;
    memcpy(place(b, b->at), data, bytes);
    return b->at;
}

static bool steers_host(const char *s)
{
    return strncmp(s, "LD_", 3) == 0 || strncmp(s, "GLIBC_TUNABLES=", 15) == 0 || strncmp(s, "MALLOC_", 7) == 0;
}

/* Pushes the strings, last first; returns how many. */
static u64 push_env(struct builder *b, const struct stack_spec *s)
{
    u64 n = 0, kept = s->host_env;
    while (s->envp[n])
        n++;
    if (s->host_env)
        push(b, HOST_TUNABLES, sizeof HOST_TUNABLES);
    while (n--) {
        if (s->host_env && steers_host(s->envp[n]))
            continue;
        push(b, s->envp[n], strlen(s->envp[n]) + 1);
        kept++;
    }
    return kept;
}

static u64 push_args(struct builder *b, const struct stack_spec *s)
{
    u64 first = s->nhead ? 1 : 0, n = 0;
    while (s->argv[n])
        n++;
    if (n < first)
        first = n;
    for (u64 i = n; i-- > first;)
        push(b, s->argv[i], strlen(s->argv[i]) + 1);
    for (int i = s->nhead; i-- > 0;)
        push(b, s->head[i], strlen(s->head[i]) + 1);
    return n - first + (u64)s->nhead;
}

/* Words of the program's size, one after the other. */
struct words {
    u8 *at;
    u64 bytes;
};

static void put_word(struct words *w, u64 v)
{
    memcpy(w->at, &v, w->bytes);
    w->at += w->bytes;
}

/* n pointers to the strings that lie one after the other from *str, and a zero. */
static void put_pointers(struct builder *b, struct words *w, u64 *str, u64 n)
{
    for (; n; n--) {
        put_word(w, *str);
        *str += strlen((char *)place(b, *str)) + 1;
    }
    put_word(w, 0);
}

static void random_bytes(u8 out[16])
{
    if (getrandom(out, 16, GRND_NONBLOCK) != 16)
        die(1, "no random numbers from the kernel: %s", strerror(errno));
}

static u64 words_bound(const char *const *word, u64 n)
{
    u64 bytes = 0;
    for (u64 i = 0; i < n && word[i]; i++)
        bytes += strlen(word[i]) + 1 + sizeof *word;
    return bytes;
}

/* An upper bound, which is generous. */
u64 stack_bound(const struct stack_spec *s)
{
    u64 words = words_bound((const char *const *)s->argv, ~0ul) + words_bound((const char *const *)s->envp, ~0ul) +
                words_bound(s->head, (u64)s->nhead);
    return PAGE_UP(words + strlen(s->execfn) + s->slide + sizeof *s->auxv + PAGE_BYTES);
}

void stack_build(const struct stack_spec *s, u8 *buf, u64 bytes, struct stack_image *out)
{
    struct builder b = {buf, bytes, s->top, s->top};
    u64 zero = 0, word = s->narrow ? 4 : 8;
    u8 seed[16];
    push(&b, &zero, sizeof zero);
    u64 execfn = push(&b, s->execfn, strlen(s->execfn) + 1);
    u64 envc = push_env(&b, s);
    out->env_start = b.at;
    u64 argc = push_args(&b, s);
    out->arg_start = b.at;
    b.at = (b.at - s->slide) & ~15ul;
    const char *name = s->narrow ? NARROW_PLATFORM : MACHINE_PLATFORM;
    u64 platform = push(&b, name, strlen(name) + 1);
    random_bytes(seed);
    u64 seed_at = push(&b, seed, sizeof seed);
    auxv_set(s->auxv, AT_EXECFN, execfn);
    auxv_set(s->auxv, AT_PLATFORM, platform);
    auxv_set(s->auxv, AT_RANDOM, seed_at);
    b.at = (b.at - (u64)s->auxv->words * word - (argc + 1 + envc + 1 + 1) * word) & ~15ul;
    struct words w = {place(&b, b.at), word};
    put_word(&w, argc);
    u64 str = out->arg_start;
    put_pointers(&b, &w, &str, argc);
    out->arg_end = str;
    put_pointers(&b, &w, &str, envc);
    out->env_end = str;
    out->auxv = b.at + (argc + envc + 3) * word;
    for (int i = 0; i < s->auxv->words; i++)
        put_word(&w, s->auxv->word[i]);
    out->sp = b.at;
    out->bytes = s->top - b.at;
    out->mem = place(&b, b.at);
}
