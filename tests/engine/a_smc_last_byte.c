// Code of which the last byte alone is on the next page, and that byte alone is changed: by a store, by read(), through another mapping of the page, through the file, by another page in its place.
#include "a_guest.h"
#include <sys/uio.h>

#define CASES 4

/* At the end of the first page: jmp to one of CASES places further in front, each mov $n, %eax; ret. The jump's displacement is all that is on the second page. */
static void jump_make(uint8_t *m)
{
    for (int i = 0; i < CASES; i++)
        code_return(m + PAGE - 100 + 10 * i, 100 + i);
    m[PAGE - 1] = 0xeb;
}
static uint8_t jump_byte(int i) { return (uint8_t)(PAGE - 100 + 10 * i - (PAGE + 1)); }

/* mov $n << 24, %eax with its last byte on the second page, which has only the ret besides. */
static void mov_make(uint8_t *m)
{
    memcpy(m + PAGE - 4, "\xb8\x00\x00\x00", 4);
    m[PAGE + 1] = 0xc3;
}
static uint8_t mov_byte(int i) { return (uint8_t)(i + 1); }

typedef void put_fn(uint8_t *at, uint8_t value);
static uint8_t *other; /* the second page once more */
static int fd;

static void by_store(uint8_t *at, uint8_t value) { *(volatile uint8_t *)at = value; }
static void by_mapping(uint8_t *at, uint8_t value)
{
    (void)at;
    *(volatile uint8_t *)other = value;
}
static void by_file(uint8_t *at, uint8_t value)
{
    (void)at;
    CHECK(pwrite(fd, &value, 1, 0) == 1);
}
static void by_read(uint8_t *at, uint8_t value)
{
    int p[2];
    CHECK(pipe(p) == 0 && write(p[1], &value, 1) == 1 && read(p[0], at, 1) == 1);
    close(p[0]);
    close(p[1]);
}
static void by_process_vm(uint8_t *at, uint8_t value)
{
    struct iovec from = {&value, 1}, to = {at, 1};
    CHECK(process_vm_writev(getpid(), &from, 1, &to, 1, 0) == 1);
}
static void by_page(uint8_t *at, uint8_t value)
{
    uint8_t *fresh = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(fresh, at, PAGE);
    *fresh = value;
    CHECK(mremap(fresh, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at);
}
static void by_protection(uint8_t *at, uint8_t value)
{
    CHECK(mprotect(at, PAGE, PROT_READ | PROT_WRITE) == 0);
    *(volatile uint8_t *)at = value;
    CHECK(mprotect(at, PAGE, PROT_READ | PROT_EXEC) == 0);
}

static void try(const char *name, put_fn *put, int shared, void (*make)(uint8_t *), uint8_t (*byte)(int))
{
    uint8_t *m = arena_map(0, 2, PROT_READ | PROT_WRITE | PROT_EXEC);
    if (shared)
        CHECK(mmap(m + PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0) == m + PAGE);
    make(m);
    m[PAGE] = byte(0);
    printf("%s:", name);
    for (int i = 0; i < 12; i++) {
        put(m + PAGE, byte(i * 7 % CASES));
        printf(" %d", code_call(m + PAGE - (make == mov_make ? 4 : 1)));
        if (i % 3 == 0)
            printf(" %d", code_call(m + PAGE - (make == mov_make ? 4 : 1))); /* linked, and once more */
    }
    printf("\n");
    CHECK(munmap(m, 2 * PAGE) == 0);
}

int main(void)
{
    static const struct { const char *name; put_fn *put; int shared; } ways[] = {
        {"store", by_store, 0}, {"read", by_read, 0}, {"process_vm_writev", by_process_vm, 0}, {"another page", by_page, 0}, {"protection", by_protection, 0},
        {"store, shared", by_store, 1}, {"another mapping", by_mapping, 1}, {"the file", by_file, 1}, {"read, shared", by_read, 1},
    };
    fd = memfd_create("page", 0);
    CHECK(fd >= 0 && ftruncate(fd, PAGE) == 0);
    other = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        try(ways[i].name, ways[i].put, ways[i].shared, jump_make, jump_byte);
        try(ways[i].name, ways[i].put, ways[i].shared, mov_make, mov_byte);
    }
    return 0;
}
