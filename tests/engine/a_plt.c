// Symbols looked up lazily through the PLT, interposed by the program, and called from libc (qsort, bsearch, tsearch callbacks).
// test: cc=-Wl,-z,lazy -rdynamic
#include "a_guest.h"
#include <search.h>
static int mallocs;
void *calloc(size_t n, size_t m)
{
    mallocs++;
    void *p = malloc(n * m);
    return p ? memset(p, 0, n * m) : p;
}
static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}
static void visit(const void *node, VISIT which, int depth)
{
    if (which == postorder || which == leaf)
        printf("%d %s\n", depth >= 0, *(char *const *)node);
}
int main(void)
{
    static const char *const words[] = {"pear", "apple", "fig", "plum", "date"};
    void *root = NULL;
    for (int i = 0; i < 5; i++)
        tsearch(words[i], &root, compare);
    twalk(root, visit);
    int *volatile p = calloc(4, 4);
    CHECK(p && p[3] == 0);
    printf("interposed %d\n", mallocs > 0);
    return 0;
}
