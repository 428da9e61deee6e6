// test: timeout=240
// SPDX-License-Identifier: Apache-2.0
// Forks while other threads map, unmap, protect and write code: what the child's /proc/self/maps says, it can do, page for page; code runs as its bytes are, and code in fresh mappings runs.
#include "b_check.h"
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define PAGE 4096ul
#define PAGES 8 /* of each thread */
#define THREADS 3
#define FORKS 60
#define RWX (PROT_READ | PROT_WRITE | PROT_EXEC)

static uint8_t *const base = (uint8_t *)0x200000000000;
static volatile int over;
static sigjmp_buf out;

static void put(uint8_t *p, int value)
{
    memcpy(p, "\xb8\0\0\0\0\xc3", 6); /* mov $value, %eax; ret */
    memcpy(p + 1, &value, sizeof value);
}

static int call(uint8_t *p) { return ((int (*)(void))(uintptr_t)p)(); }

static void *change(void *arg)
{
    static const int prots[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC, RWX};
    long id = (long)arg;
    unsigned random = (unsigned)id * 977 + 1;
    for (int turn = 0; !over; turn++) {
        random = random * 1103515245 + 12345;
        uint8_t *p = base + (id * PAGES + (random >> 8) % PAGES) * PAGE;
        unsigned what = random >> 16 & 7;
        if (what < 3) {
            CHECK(mmap(p, PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p);
            put(p, turn);
            CHECK(call(p) == turn);
            put(p, turn + 1);
            CHECK(call(p) == turn + 1);
        } else if (what < 4)
            CHECK(munmap(p, PAGE) == 0);
        else
            CHECK(mprotect(p, PAGE, prots[random >> 20 & 3]) == 0 || errno == ENOMEM);
    }
    return NULL;
}

static void on_segv(int sig) { siglongjmp(out, sig); }
static int reads(uint8_t *p) { return sigsetjmp(out, 1) ? 0 : (*(volatile uint8_t *)p, 1); }
static int writes(uint8_t *p) { return sigsetjmp(out, 1) ? 0 : (*(volatile uint8_t *)(p + 100) = 7, 1); }
static int executes(uint8_t *p)
{
    int value;
    if (sigsetjmp(out, 1))
        return 0;
    value = call(p);
    CHECK(!memcmp(p + 1, &value, sizeof value));
    return 1;
}

/* PROT_* of each page as the process itself is told; -1: not mapped. */
static void read_maps(int *prot)
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    for (int i = 0; i < THREADS * PAGES; i++)
        prot[i] = -1;
    while (fgets(line, sizeof line, f)) {
        unsigned long start, end;
        char r, w, x;
        CHECK(sscanf(line, "%lx-%lx %c%c%c", &start, &end, &r, &w, &x) == 5);
        for (unsigned long a = start; a < end && start >= (unsigned long)base && end <= (unsigned long)base + THREADS * PAGES * PAGE; a += PAGE)
            prot[(a - (unsigned long)base) / PAGE] = (r == 'r' ? PROT_READ : 0) | (w == 'w' ? PROT_WRITE : 0) | (x == 'x' ? PROT_EXEC : 0);
    }
    fclose(f);
}

static void child(void)
{
    int prot[THREADS * PAGES];
    struct sigaction sa = {.sa_handler = on_segv};
    sigaction(SIGSEGV, &sa, NULL);
    read_maps(prot);
    for (int i = 0; i < THREADS * PAGES; i++) {
        uint8_t *p = base + i * PAGE;
        int want = prot[i] < 0 ? 0 : prot[i];
        CHECK(reads(p) == (want != 0)); /* what can be executed can be read here, what can be written always */
        CHECK(writes(p) == !!(want & PROT_WRITE));
        if (want && p[0] == 0xb8 && p[5] == 0xc3)
            CHECK(executes(p) == !!(want & PROT_EXEC));
    }
    for (int i = 0; i < 4; i++) {
        uint8_t *p = mmap(base + i * 5 * PAGE, PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        put(p, 4000 + i);
        CHECK(call(p) == 4000 + i);
        put(p, 5000 + i);
        CHECK(call(p) == 5000 + i);
        CHECK(munmap(p, PAGE) == 0 && !reads(p));
    }
    _exit(42);
}

int main(void)
{
    pthread_t t[THREADS];
    int status;
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&t[i], NULL, change, (void *)i) == 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t pid = fork();
        if (pid == 0)
            child();
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    }
    over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    say("%d children\n", FORKS);
    return 0;
}
