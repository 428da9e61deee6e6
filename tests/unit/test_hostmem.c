/* SPDX-License-Identifier: Apache-2.0
 * hostmem.c: the registry against a model, places and alignment, growing, what is host at start, rescans, signals and
 * threads, the reserve. */
#include "unit.h"

#include "os/gmap.h"
#include "os/hostmem.h"
#include "os/linux/mapsfile.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define RW (PROT_READ | PROT_WRITE)

static bool kernel_maps(u64 addr)
{
    unsigned char resident;
    return mincore((void *)PAGE_DOWN(addr), PAGE_BYTES, &resident) == 0;
}

/* Random blocks: disjoint, usable, registered while they live and not afterwards; the total is right. */
static void test_blocks(void **state)
{
    (void)state;
    enum { N = 200 };
    static struct {
        u8 *at;
        size_t bytes;
    } block[N];
    hostmem_unmap(hostmem_map(1, RW), 1); /* the registry itself is there from the first use on */
    u64 before = hostmem_total_bytes(), live = 0;
    for (int round = 0; round < 20000; round++) {
        int i = (int)unit_random(N);
        if (block[i].at) {
            assert_int_equal(block[i].at[0], (u8)i);
            assert_int_equal(block[i].at[block[i].bytes - 1], (u8)i);
            hostmem_unmap(block[i].at, block[i].bytes);
            assert_false(hostmem_overlaps((u64)block[i].at, (u64)block[i].at + block[i].bytes));
            live -= PAGE_UP(block[i].bytes);
            block[i].at = NULL;
            continue;
        }
        size_t align = unit_random(4) ? PAGE_BYTES : PAGE_BYTES << unit_random(12);
        block[i].bytes = 1 + unit_random(unit_random(10) ? 60000 : 3000000);
        block[i].at = hostmem_map_aligned(block[i].bytes, align, RW);
        assert_non_null(block[i].at);
        assert_int_equal((u64)block[i].at % align, 0);
        block[i].at[0] = block[i].at[block[i].bytes - 1] = (u8)i;
        live += PAGE_UP(block[i].bytes);
        assert_true(hostmem_overlaps((u64)block[i].at, (u64)block[i].at + 1));
        assert_true(hostmem_overlaps((u64)block[i].at + block[i].bytes - 1, (u64)block[i].at + block[i].bytes));
        if (round % 64 == 0)
            assert_int_equal(hostmem_total_bytes() - before, live);
    }
    for (int i = 0; i < N; i++)
        if (block[i].at)
            hostmem_unmap(block[i].at, block[i].bytes);
    assert_int_equal(hostmem_total_bytes(), before);
}

static void test_exact_place(void **state)
{
    (void)state;
    u8 *p = hostmem_map(4 * PAGE_BYTES, RW);
    assert_non_null(p);
    assert_null(hostmem_map_at((u64)p + PAGE_BYTES, PAGE_BYTES, RW));
    hostmem_unmap(p + PAGE_BYTES, PAGE_BYTES);
    assert_false(hostmem_overlaps((u64)p + PAGE_BYTES, (u64)p + 2 * PAGE_BYTES));
    assert_true(hostmem_overlaps((u64)p, (u64)p + 2 * PAGE_BYTES));
    assert_true(hostmem_overlaps((u64)p + PAGE_BYTES, (u64)p + 2 * PAGE_BYTES + 1));
    assert_ptr_equal(hostmem_map_at((u64)p + PAGE_BYTES, PAGE_BYTES, PROT_READ), p + PAGE_BYTES);
    u64 start, end;
    assert_true(hostmem_next((u64)p, &start, &end));
    assert_true(start <= (u64)p && end >= (u64)p + 4 * PAGE_BYTES);
    hostmem_unmap(p, 4 * PAGE_BYTES);
    assert_null(hostmem_map(0, RW));
    assert_null(hostmem_map(1ul << 60, RW));
    assert_null(hostmem_map(~0ul, RW));
}

/* Where the guest has taken the place, the next one goes elsewhere and nothing of the guest's is hurt. */
static void test_guest_in_the_way(void **state)
{
    (void)state;
    u8 *p = hostmem_map(PAGE_BYTES, RW);
    u8 *wall = mmap(p - 64 * PAGE_BYTES, 64 * PAGE_BYTES, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_ptr_equal(wall, p - 64 * PAGE_BYTES);
    memset(wall, 0x5a, 64 * PAGE_BYTES);
    u8 *q = hostmem_map(8 * PAGE_BYTES, RW);
    assert_non_null(q);
    assert_true(q + 8 * PAGE_BYTES <= wall || q >= wall + 64 * PAGE_BYTES);
    memset(q, 0, 8 * PAGE_BYTES);
    assert_false(hostmem_overlaps((u64)wall, (u64)wall + 64 * PAGE_BYTES));
    for (size_t i = 0; i < 64 * PAGE_BYTES; i++)
        assert_int_equal(wall[i], 0x5a);
    hostmem_unmap(q, 8 * PAGE_BYTES);
    hostmem_unmap(p, PAGE_BYTES);
    munmap(wall, 64 * PAGE_BYTES);
}

static void test_grow(void **state)
{
    (void)state;
    size_t bytes = PAGE_BYTES, align = 1ul << 20;
    u64 before = hostmem_total_bytes();
    u64 *p = hostmem_map_aligned(bytes, align, RW);
    assert_non_null(p);
    for (u64 i = 0; i < bytes / 8; i++)
        p[i] = i;
    while (bytes < (64ul << 20)) {
        size_t more = bytes + PAGE_BYTES * (1 + unit_random(bytes / PAGE_BYTES + 8));
        u64 *q = hostmem_grow(p, bytes, more, align);
        assert_non_null(q);
        assert_int_equal((u64)q % align, 0);
        if (q != p)
            assert_false(hostmem_overlaps((u64)p, (u64)p + PAGE_BYTES) && !((u64)p >= (u64)q && (u64)p < (u64)q + more));
        p = q;
        for (u64 i = 0; i < bytes / 8; i += 97)
            assert_int_equal(p[i], i);
        for (u64 i = bytes / 8; i < more / 8; i++)
            p[i] = i;
        bytes = more;
        assert_int_equal(hostmem_total_bytes() - before, bytes);
    }
    hostmem_unmap(p, bytes);
    assert_int_equal(hostmem_total_bytes(), before);
}

/* The program and ld.so: where they lie. */
static int note_image(struct dl_phdr_info *o, size_t bytes, void *boot)
{
    (void)bytes;
    struct boot_range r = {~0ul, 0}, *image = ((struct boot_info *)boot)->image;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        u64 start = PAGE_DOWN(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr), end = PAGE_UP(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr + o->dlpi_phdr[i].p_memsz);
        if (o->dlpi_phdr[i].p_type == PT_LOAD)
            r = (struct boot_range){start < r.start ? start : r.start, end > r.end ? end : r.end};
    }
    if ((u64)note_image >= r.start && (u64)note_image < r.end)
        image[0] = r;
    if (getauxval(AT_BASE) >= r.start && getauxval(AT_BASE) < r.end)
        image[1] = r;
    return 0;
}

/* This test's own program and ld.so as "the guest": libc and the host's ranges are host, program, ld.so, stack and vdso are not. */
static void test_init(void **state)
{
    (void)state;
    static struct boot_info boot;
    static u64 aux[64][2];
    int fd = open("/proc/self/auxv", O_RDONLY);
    assert_true(fd >= 0);
    ssize_t n = read(fd, aux, sizeof aux);
    close(fd);
    assert_true(n > 0);
    boot.guest_auxv = (u64)aux;
    boot.guest_auxv_bytes = (u64)n;
    dl_iterate_phdr(note_image, &boot);
    u8 *hold = mmap(NULL, 256ul << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    boot.placeholder = (struct boot_range){(u64)hold, (u64)hold + (256ul << 20)};
    u8 *early = hostmem_map(PAGE_BYTES, RW);
    pid_t child = fork();
    if (child == 0) { /* what is host is so for good: not in this process */
        hostmem_init(&boot);
        u64 vdso = getauxval(AT_SYSINFO_EHDR), interpreter = getauxval(AT_BASE);
        u8 *p = hostmem_map(PAGE_BYTES, RW);
        bool right = hostmem_overlaps((u64)early, (u64)early + 1) && hostmem_overlaps((u64)strtoul, (u64)strtoul + 1) &&
                     !hostmem_overlaps((u64)test_init, (u64)test_init + 1) && !hostmem_overlaps((u64)&boot, (u64)(&boot + 1)) &&
                     !hostmem_overlaps(interpreter, interpreter + 1) && !hostmem_overlaps((u64)&_r_debug, (u64)&_r_debug + 1) &&
                     !hostmem_overlaps(vdso, vdso + 1) && !hostmem_overlaps((u64)&child, (u64)&child + 1) &&
                     !hostmem_overlaps((u64)hold, (u64)hold + (256ul << 20)) && p && p < hold;
        gmap_init();
        struct gmap_area a;
        right &= !gmap_find((u64)hold, &a) && gmap_find((u64)test_init, &a) && !gmap_find((u64)strtoul, &a) && !gmap_find((u64)p, &a);
        hostmem_drop_placeholder(true);
        right &= !kernel_maps((u64)hold) && !hostmem_placeholder(&vdso, &interpreter);
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    munmap(hold, 256ul << 20);
    hostmem_unmap(early, PAGE_BYTES);
}

static bool map_all(void)
{
    for (u64 bytes = 1ul << 46; bytes >= PAGE_BYTES; bytes /= 2)
        while (mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
            ;
    return mmap(NULL, PAGE_BYTES, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static bool is_empty(const u8 *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 512)
        if (p[i])
            return false;
    return true;
}

/* Blocks from the reserve: empty, at multiples of their alignment, growing with what is in them, and used again. */
static bool reserve_serves(void)
{
    const size_t bytes = 3ul << 20, align = 1ul << 20;
    static struct boot_info boot;
    hostmem_init(&boot);
    u64 before = hostmem_total_bytes();
    u8 *asked = hostmem_map_reserved(PAGE_BYTES + 1, RW); /* before it must serve, for who wants a place in it */
    bool right = asked && is_empty(asked, 2 * PAGE_BYTES) && hostmem_total_bytes() - before == 2 * PAGE_BYTES;
    if (right)
        hostmem_unmap(asked, PAGE_BYTES + 1);
    if (!right || !map_all())
        return false;
    for (int round = 0; round < 3000 && right; round++) { /* together more than the reserve has */
        u8 *p = hostmem_map_aligned(bytes, align, round % 2 ? RW : RW | PROT_EXEC);
        right = p && (u64)p % align == 0 && is_empty(p, bytes) && hostmem_total_bytes() - before == bytes;
        if (!right)
            break;
        memset(p, round | 1, PAGE_BYTES);
        u8 *q = hostmem_grow(p, bytes, 2 * bytes, align);
        right = q && (u64)q % align == 0 && q[PAGE_BYTES - 1] == (u8)(round | 1) &&
                is_empty(q + PAGE_BYTES, 2 * bytes - PAGE_BYTES);
        if (right)
            hostmem_unmap(q, 2 * bytes);
    }
    return right && hostmem_total_bytes() == before && !hostmem_map(1ul << 40, RW);
}

static void test_reserve(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(reserve_serves() ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_rescan(void **state)
{
    (void)state;
    gmap_init(); /* all that is there is the guest's */
    u8 *loaded = mmap(NULL, 16 * PAGE_BYTES, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *guests = loaded + 4 * PAGE_BYTES;
    gmap_add(&(struct gmap_area){.start = (u64)guests, .end = (u64)guests + 4 * PAGE_BYTES, .flags = GMAP_READ | GMAP_WRITE});
    hostmem_rescan();
    assert_true(hostmem_overlaps((u64)loaded, (u64)loaded + 1));
    assert_true(hostmem_overlaps((u64)guests - 1, (u64)guests));
    assert_false(hostmem_overlaps((u64)guests, (u64)guests + 4 * PAGE_BYTES));
    assert_true(hostmem_overlaps((u64)guests + 4 * PAGE_BYTES, (u64)loaded + 16 * PAGE_BYTES));
    assert_false(hostmem_overlaps((u64)test_rescan, (u64)test_rescan + 1));
    munmap(loaded, 16 * PAGE_BYTES);
    gmap_remove((u64)loaded, (u64)loaded + 16 * PAGE_BYTES);
    hostmem_rescan();
    assert_false(hostmem_overlaps((u64)loaded, (u64)loaded + 16 * PAGE_BYTES));
    gmap_remove(0, ~0ul);
}

static u8 *fixed;
static volatile u32 looked, wrong;

/* Looks at the registry in the middle of whatever the thread was doing. */
static void on_tick(int sig)
{
    (void)sig;
    looked++;
    wrong += !hostmem_overlaps((u64)fixed, (u64)fixed + PAGE_BYTES) || hostmem_overlaps((u64)test_grow, (u64)test_grow + 1);
}

static void *churn(void *arg)
{
    u64 seed = (u64)arg;
    for (int i = 0; i < 20000; i++) {
        size_t bytes = PAGE_BYTES * (1 + unit_random_next(&seed) % 40);
        u8 *p = hostmem_map(bytes, RW);
        if (!p || !hostmem_overlaps((u64)p, (u64)p + bytes) || !hostmem_overlaps((u64)fixed, (u64)fixed + 1))
            return (void *)1;
        hostmem_unmap(p, bytes);
    }
    return NULL;
}

static void test_signals_and_threads(void **state)
{
    (void)state;
    fixed = hostmem_map(PAGE_BYTES, RW);
    struct sigaction sa = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &sa, NULL);
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &often, NULL);
    alarm(280);
    pthread_t t[3];
    for (u64 i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, churn, (void *)(i + 77));
    for (int i = 0; i < 3; i++) {
        void *bad;
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
    for (int i = 0; i < 50 && !looked; i++)
        assert_null(churn((void *)5));
    assert_true(looked > 0);
    setitimer(ITIMER_PROF, &never, NULL);
    alarm(0);
    assert_int_equal(wrong, 0);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_false(sigismember(&mask, SIGPROF)); /* the lock puts the mask back */
    hostmem_unmap(fixed, PAGE_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_exact_place), cmocka_unit_test(test_guest_in_the_way), cmocka_unit_test(test_grow),
        cmocka_unit_test(test_init),   cmocka_unit_test(test_rescan),      cmocka_unit_test(test_signals_and_threads),
        cmocka_unit_test(test_reserve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
