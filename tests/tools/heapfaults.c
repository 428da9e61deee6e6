/* SPDX-License-Identifier: Apache-2.0
 * Faults of C programs with their heap (heapfaults.h): beyond a block, in a freed one, frees, libc's functions, system calls, leaks. */
#include "heapfaults.h"

#include <malloc.h>
#include <pthread.h>
#include <wchar.h>

#define HERE __attribute__((noinline)) static

/* --- beyond a block ------------------------------------------------------------------------------------------------- */

HERE void write_after(int bad)
{
    char *p = hide(malloc(10));
    p[bad ? 10 : 9] = 1; /* FAULT invalid-write */
    free(p);
}
HERE void read_after(int bad)
{
    char *p = hide(calloc(1, 16));
    use(p[bad ? 16 : 15]); /* FAULT invalid-read */
    free(p);
}
HERE void write_before(int bad)
{
    char *p = hide(malloc(32));
    p[bad ? -1 : 0] = 1; /* FAULT invalid-write */
    free(p);
}
HERE void read_before(int bad)
{
    int *p = hide(calloc(8, 4));
    use(p[bad ? -2 : 2]); /* FAULT invalid-read */
    free(p);
}
HERE void off_by_one(int bad)
{
    size_t n = any(25);
    int *p = hide(malloc(n * sizeof *p));
    for (size_t i = 0; bad ? i <= n : i < n; i++)
        p[i] = (int)i; /* FAULT invalid-write */
    free(p);
}
HERE void far_beyond(int bad)
{
    char *p = hide(malloc(40));
    p[bad ? 4000 : 39] = 1; /* FAULT invalid-write */
    free(p);
}
HERE void straddling(int bad)
{
    char *p = hide(malloc(10));
    *(int *)(p + (bad ? 8 : 4)) = 1; /* FAULT invalid-write */
    free(p);
}
HERE void unaligned_read(int bad)
{
    char *p = hide(calloc(1, 13));
    long value;
    memcpy(&value, p + (bad ? 7 : 5), sizeof value); /* FAULT invalid-read */
    use(value);
    free(p);
}
HERE void nothing(int bad)
{
    char *p = hide(malloc(any(0)));
    if (bad)
        *p = 1; /* FAULT invalid-write */
    free(p);
}
HERE void of_calloc(int bad)
{
    short *p = hide(calloc(any(7), sizeof *p));
    p[bad ? 7 : 6]++; /* FAULT invalid-read invalid-write */
    free(p);
}
HERE void shrunk(int bad)
{
    char *p = hide(malloc(200));
    p = hide(realloc(p, 50));
    p[bad ? 50 : 49] = 1; /* FAULT invalid-write */
    free(p);
}
HERE void grown(int bad)
{
    char *p = hide(malloc(50));
    p = hide(realloc(p, 200));
    p[bad ? 200 : 199] = 1; /* FAULT invalid-write */
    free(p);
}
HERE void of_array(int bad)
{
    long *p = hide(reallocarray(NULL, any(5), sizeof *p));
    p[bad ? 5 : 4] = 1; /* FAULT invalid-write */
    free(p);
}
HERE void aligned(int bad)
{
    char *p = hide(aligned_alloc(256, 256));
    p[bad ? 256 : 255] = 1; /* FAULT invalid-write */
    free(p);
}
HERE void posix_aligned(int bad)
{
    void *v = NULL;
    if (posix_memalign(&v, 64, 100))
        return;
    char *p = hide(v);
    p[bad ? 100 : 99] = 1; /* FAULT invalid-write */
    free(p);
}
HERE void large(int bad)
{
    size_t n = any(3 << 20);
    char *p = hide(malloc(n));
    p[n / 2] = 1;
    p[bad ? n : n - 1] = 1; /* FAULT invalid-write */
    free(p);
}
typedef long long loose __attribute__((vector_size(16), aligned(1), may_alias));
HERE void vector(int bad)
{
    char *p = hide(calloc(1, 48));
    loose v = *(loose *)(p + (bad ? 40 : 32)); /* FAULT invalid-read */
    __asm__ volatile("" : : "x"(v));
    free(p);
}
HERE void usable(int bad)
{
    char *p = hide(malloc(any(21)));
    size_t n = malloc_usable_size(p);
    p[bad ? n : n - 1] = 1; /* FAULT invalid-write */
    free(p);
}

/* --- freed blocks --------------------------------------------------------------------------------------------------- */

HERE void read_freed(int bad)
{
    int *p = hide(calloc(4, 4));
    if (bad)
        free(p);
    p = hide(p);
    use(p[1]); /* FAULT invalid-read */
    if (!bad)
        free(p);
}
HERE void write_freed(int bad)
{
    int *p = hide(calloc(4, 4));
    if (bad)
        free(p);
    p = hide(p);
    p[3] = 1; /* FAULT invalid-write */
    if (!bad)
        free(p);
}
struct item {
    struct item *next;
    int value;
};
HERE void freed_list(int bad)
{
    struct item *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct item *new = malloc(sizeof *new);
        new->next = list;
        new->value = i;
        list = new;
    }
    for (struct item *i = list, *next; i; i = next) {
        next = i->next;
        free(i);
        i = hide(i);
        if (bad)
            use(i->value); /* FAULT invalid-read */
    }
}
HERE void moved(int bad)
{
    char *p = hide(malloc(100)), *new = hide(realloc(p, 5000));
    *(char *)hide(bad ? p : new) = 1; /* FAULT invalid-write */
    free(new);
}
HERE void after_many(int bad)
{
    char *p = hide(malloc(64));
    free(p);
    for (int i = 0; i < 1000; i++)
        free(hide(malloc(64)));
    if (bad)
        use(((char *)hide(p))[5]); /* FAULT invalid-read */
}
HERE void *free_it(void *p)
{
    free(p);
    return NULL;
}
HERE void freed_by_thread(int bad)
{
    char *p = hide(malloc(30));
    pthread_t thread;
    if (bad && pthread_create(&thread, NULL, free_it, p))
        return;
    if (bad)
        pthread_join(thread, NULL);
    p = hide(p);
    p[0] = 1; /* FAULT invalid-write */
    if (!bad)
        free(p);
}

/* --- frees ---------------------------------------------------------------------------------------------------------- */

HERE void twice(int bad)
{
    char *p = hide(malloc(10));
    free(p);
    if (bad)
        free(hide(p)); /* FAULT double-free */
}
HERE void inside(int bad)
{
    char *p = hide(malloc(10));
    if (bad)
        free(hide(p + 4)); /* FAULT invalid-free */
    free(p);
}
HERE void of_stack(int bad)
{
    char room[64];
    char *p = bad ? room : NULL;
    free(hide(p)); /* FAULT invalid-free */
}
HERE void of_data(int bad)
{
    static char room[64];
    char *p = bad ? room + 16 : NULL;
    free(hide(p)); /* FAULT invalid-free */
}
HERE void grown_freed(int bad)
{
    char *p = hide(malloc(10)), *q = NULL;
    if (bad)
        free(p);
    q = realloc(hide(p), 20); /* FAULT double-free */
    free(q);
}

/* --- libc's functions ----------------------------------------------------------------------------------------------- */

HERE void string_copy(int bad)
{
    char *p = hide(malloc(8));
    strcpy(p, hide(bad ? "12345678" : "1234567")); /* FAULT invalid-write */
    free(p);
}
HERE void string_length(int bad)
{
    char *p = hide(malloc(8));
    memcpy(p, "12345678", 8);
    if (!bad)
        p[7] = 0;
    use((long)strlen(hide(p))); /* FAULT invalid-read */
    free(p);
}
HERE void string_append(int bad)
{
    char *p = hide(malloc(any(10)));
    strcpy(p, "12345");
    strcat(hide(p), hide(bad ? "67890" : "6789")); /* FAULT invalid-write */
    free(p);
}
HERE void string_copy_n(int bad)
{
    char *p = hide(malloc(any(10)));
    strncpy(p, hide("ab"), any(bad ? 11 : 10)); /* FAULT invalid-write */
    free(p);
}
HERE void string_search(int bad)
{
    char *p = hide(malloc(any(5)));
    memcpy(p, "abcde", 5);
    use((long)strchr(hide(p), bad ? 'x' : 'd')); /* FAULT invalid-read */
    free(p);
}
HERE void string_compare(int bad)
{
    char *p = hide(malloc(5)), *q = hide(malloc(6));
    memcpy(p, "abcde", 5);
    memcpy(q, bad ? "abcdef" : "abcdE", 5);
    q[5] = 0;
    use(strcmp(hide(p), hide(q))); /* FAULT invalid-read */
    free(p);
    free(q);
}
HERE void string_span(int bad)
{
    char *p = hide(malloc(any(5)));
    memcpy(p, bad ? "abbaa" : "abbac", 5);
    use((long)strspn(hide(p), hide("ba"))); /* FAULT invalid-read */
    free(p);
}
HERE void string_span_set(int bad)
{
    char *p = hide(malloc(any(5)));
    memcpy(p, bad ? "abcde" : "abcd", 5);
    use((long)strspn(hide("ab-"), hide(p))); /* FAULT invalid-read */
    free(p);
}
HERE void string_until(int bad)
{
    char *p = hide(malloc(any(5)));
    memcpy(p, bad ? "abcde" : "abcd:", 5);
    use((long)strcspn(hide(p), hide("-:"))); /* FAULT invalid-read */
    free(p);
}
HERE void string_break(int bad)
{
    char *p = hide(malloc(any(5)));
    memcpy(p, bad ? "abcde" : "abcd:", 5);
    use((long)strpbrk(hide(p), hide("-:"))); /* FAULT invalid-read */
    free(p);
}
HERE void string_break_set(int bad)
{
    char *p = hide(malloc(any(2)));
    memcpy(p, bad ? "-:" : "-", 2);
    use((long)strpbrk(hide("a-b"), hide(p))); /* FAULT invalid-read */
    free(p);
}
HERE void string_part(int bad)
{
    char *p = hide(malloc(any(7)));
    memcpy(p, "aabaaab", 7);
    use((long)strstr(hide(p), hide(bad ? "aabb" : "aaab"))); /* FAULT invalid-read */
    free(p);
}
HERE void string_part_sought(int bad)
{
    char *p = hide(malloc(any(4)));
    memcpy(p, bad ? "aaab" : "aaa", 4);
    use((long)strstr(hide("aabaaab"), hide(p))); /* FAULT invalid-read */
    free(p);
}
HERE void freed_string(int bad)
{
    char *p = strdup(hide("some text"));
    if (bad)
        free(p);
    use(strcmp(hide(p), "some")); /* FAULT invalid-read */
    if (!bad)
        free(p);
}
HERE void copy_from(int bad)
{
    char to[64], *p = hide(calloc(1, 20));
    memcpy(hide(to), p, any(bad ? 21 : 20)); /* FAULT invalid-read */
    free(p);
}
HERE void copy_to(int bad)
{
    static const char from[64];
    char *p = hide(malloc(any(20)));
    memmove(p, hide((void *)from), any(bad ? 21 : 20)); /* FAULT invalid-write */
    free(p);
}
HERE void set_too_much(int bad)
{
    char *p = hide(malloc(any(100)));
    memset(p, 0, any(bad ? 101 : 100)); /* FAULT invalid-write */
    free(p);
}
HERE void compare_too_much(int bad)
{
    char *p = hide(calloc(1, 9));
    static const char zero[16];
    use(memcmp(p, hide((void *)zero), any(bad ? 10 : 9))); /* FAULT invalid-read */
    free(p);
}
HERE void wide_length(int bad)
{
    wchar_t *p = hide(malloc(any(4 * sizeof *p)));
    wmemset(p, L'x', bad ? 4 : 3);
    if (!bad)
        p[3] = 0;
    use((long)wcslen(hide(p))); /* FAULT invalid-read */
    free(p);
}
HERE void printed(int bad)
{
    char *p = hide(malloc(any(6)));
    sprintf(p, "%d", (int)any(bad ? 123456 : 12345)); /* FAULT invalid-write */
    free(p);
}

/* --- copies over themselves ---------------------------------------------------------------------------------------- */

HERE void overlapping_text(int bad)
{
    char *p = hide(malloc(40));
    strcpy(p + 20, "abcdef");
    strcpy(hide(p + (bad ? 18 : 0)), hide(p + 20)); /* FAULT overlap */
    use(p[0]);
    free(p);
}
HERE void overlapping_part(int bad)
{
    char *p = hide(malloc(40));
    strcpy(p + 20, "abcdef");
    strncpy(hide(p + (bad ? 15 : 0)), hide(p + 20), any(6)); /* FAULT overlap */
    use(p[0]);
    free(p);
}
HERE void overlapping_end(int bad)
{
    char *p = hide(calloc(1, 40));
    strcpy(p + 20, "abcdef");
    strcat(hide(p + (bad ? 16 : 0)), hide(p + 20)); /* FAULT overlap */
    use(p[0]);
    free(p);
}

/* --- system calls --------------------------------------------------------------------------------------------------- */

HERE void written_out(int bad)
{
    char *p = hide(calloc(1, 10));
    int null = open("/dev/null", O_WRONLY);
    use(write(null, p, any(bad ? 12 : 10))); /* FAULT invalid-read */
    close(null);
    free(p);
}
HERE void read_in(int bad)
{
    char *p = hide(malloc(any(10)));
    int zero = open("/dev/zero", O_RDONLY);
    use(read(zero, p, any(bad ? 12 : 10))); /* FAULT invalid-write */
    close(zero);
    free(p);
}
HERE void freed_path(int bad)
{
    char *p = strdup(hide("/dev/null"));
    if (bad)
        free(p);
    close(open(hide(p), O_RDONLY)); /* FAULT invalid-read */
    if (!bad)
        free(p);
}

/* --- leaks ---------------------------------------------------------------------------------------------------------- */

static void *volatile kept[8];

HERE void lost(int bad)
{
    char *p = hide(malloc(50)); /* FAULT leak-lost */
    kept[0] = bad ? NULL : p;
}
HERE void lost_list(int bad)
{
    struct item *first = hide(malloc(sizeof *first)); /* FAULT leak-lost */
    first->next = hide(malloc(sizeof *first));
    first->next->next = hide(malloc(sizeof *first));
    first->next->next->next = NULL;
    kept[0] = bad ? NULL : first;
}
HERE void lost_ring(int bad)
{
    struct item *a = hide(malloc(sizeof *a)); /* FAULT leak-lost */
    struct item *b = hide(malloc(sizeof *b));
    a->next = b;
    b->next = NULL;
    kept[0] = bad ? NULL : a;
}
HERE void only_inside(int bad)
{
    char *p = hide(calloc(1, 50)); /* FAULT leak-possible */
    kept[0] = bad ? p + 20 : p;
}
HERE void overwritten(int bad)
{
    for (int i = 0; i < 3; i++)
        kept[bad ? 0 : i] = hide(malloc(17)); /* FAULT leak-lost */
}
HERE void failed_growth(int bad)
{
    char *p = hide(malloc(24)); /* FAULT leak-lost */
    char *q = realloc(p, any(SIZE_MAX / 2));
    kept[0] = bad ? q : p;
}
HERE void *lose_it(void *keep)
{
    void *p = hide(malloc(77)); /* FAULT leak-lost */
    kept[1] = keep ? p : NULL;
    return NULL;
}
HERE void lost_in_thread(int bad)
{
    pthread_t thread;
    if (!pthread_create(&thread, NULL, lose_it, bad ? NULL : &thread))
        pthread_join(thread, NULL);
}
HERE void in_other_memory(int bad)
{
    static __thread void *volatile own;
    own = hide(malloc(33)); /* reachable through the thread's own variables */
    use((long)own);
    kept[2] = hide(malloc(16)); /* a block leads to another one */
    void *p = hide(malloc(44)); /* FAULT leak-lost */
    *(void **)kept[2] = bad ? NULL : p;
}

#define CASE(name) {#name, name}
static const struct heap_case cases[] = {CASE(write_after), CASE(read_after), CASE(write_before), CASE(read_before), CASE(off_by_one), CASE(far_beyond), CASE(straddling), CASE(unaligned_read),
    CASE(nothing), CASE(of_calloc), CASE(shrunk), CASE(grown), CASE(of_array), CASE(aligned), CASE(posix_aligned), CASE(large), CASE(vector), CASE(usable), CASE(read_freed), CASE(write_freed),
    CASE(freed_list), CASE(moved), CASE(after_many), CASE(freed_by_thread), CASE(twice), CASE(inside), CASE(of_stack), CASE(of_data), CASE(grown_freed), CASE(string_copy), CASE(string_length),
    CASE(string_append), CASE(string_copy_n), CASE(string_search), CASE(string_compare), CASE(string_span), CASE(string_span_set), CASE(string_until), CASE(string_break), CASE(string_break_set), CASE(string_part), CASE(string_part_sought),
    CASE(freed_string), CASE(copy_from), CASE(copy_to), CASE(set_too_much), CASE(compare_too_much),
    CASE(wide_length), CASE(printed), CASE(overlapping_text), CASE(overlapping_part), CASE(overlapping_end), CASE(written_out), CASE(read_in), CASE(freed_path), CASE(lost), CASE(lost_list), CASE(lost_ring), CASE(only_inside), CASE(overwritten), CASE(failed_growth),
    CASE(lost_in_thread), CASE(in_other_memory), {NULL, NULL}};

int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
