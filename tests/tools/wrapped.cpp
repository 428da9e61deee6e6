/* SPDX-License-Identifier: Apache-2.0
 * Blocks of the heap with known numbers, for heapwrap: 138 that this program allocates, of 44409 bytes, and two of 123
 * bytes that are left. With an argument it does more. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static void *volatile p;

struct Early {
    void *block;
    Early() : block(malloc(77)) {}
    ~Early() { free(block); }
};
static Early early;

struct alignas(64) Wide {
    char bytes[64];
};

static void base()
{
    for (int i = 0; i < 100; i++) {
        p = malloc(32);
        free(p);
    }
    for (int i = 0; i < 10; i++) {
        p = calloc(4, 8);
        p = realloc(p, 4000);
        free(p);
    }
    for (int i = 0; i < 5; i++) {
        int *volatile one = new int;
        delete one;
        int *volatile many = new int[10];
        delete[] many;
    }
    void *aligned = NULL;
    if (posix_memalign(&aligned, 64, 100))
        exit(1);
    free(aligned);
    free(p = aligned_alloc(64, 128));
    free(p = memalign(32, 50));
    operator delete(p = new (std::nothrow) int);
    Wide *volatile wide = new Wide;
    delete wide;
    for (int i = 0; i < 2; i++)
        p = malloc(123); // left
}

static void churn(int n)
{
    for (int i = 0; i < n; i++) {
        void *volatile block = malloc(10);
        free(block);
    }
}

static void wrong()
{
    p = malloc(9);
    free(p);
    free(p); // double
    p = malloc(5);
    delete static_cast<char *>(p); // mismatched
    p = malloc(40);
    free(static_cast<char *>(p) + 8); // invalid
    free(p);
    p = operator new(24);
    operator delete(p, 16); // size
}

static int more(const char *how)
{
    if (!strcmp(how, "threads")) {
        std::thread t[4];
        for (auto &one : t)
            one = std::thread(churn, 1000);
        for (auto &one : t)
            one.join();
    }
    if (!strcmp(how, "wrong"))
        wrong();
    if (!strcmp(how, "fork")) {
        if (!fork()) {
            churn(7);
            _exit(0);
        }
        wait(NULL);
    }
    for (int i = 0; i < 3 && !strcmp(how, "throw"); i++)
        try {
            std::vector<char> v(size_t(-1) / 4);
        } catch (const std::bad_alloc &) {
            churn(2);
        }
    return 0;
}

int main(int argc, char **argv)
{
    base();
    if (argc > 1)
        more(argv[1]);
    return write(1, "done\n", 5) != 5;
}
