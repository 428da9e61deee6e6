// Segments of the program's own, in the LDT, loaded into FS and GS by mov, pop, lfs and lgs; selectors that
// cannot be loaded; a far jump and call whose selectors ask for a privilege.
// test: cc=-no-pie -fno-pie -mfsgsbase
#include "a_guest.h"
#include <asm/ldt.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

static uint64_t words[4] = {21, 22, 23, 24};
static __thread int local = 5;
static sigjmp_buf out;
static struct __attribute__((packed)) {
    uint64_t offset;
    uint16_t selector;
} far64;
static struct __attribute__((packed)) {
    uint32_t offset;
    uint16_t selector;
} far32;
static struct __attribute__((packed)) {
    uint16_t offset;
    uint16_t selector;
} far16;

static void on_segv(int sig)
{
    (void)sig;
    siglongjmp(out, 1);
}

static uint64_t gs_word(void)
{
    uint64_t v;
    __asm__ volatile("mov %%gs:8, %0" : "=r"(v));
    return v;
}

static void load_gs(unsigned selector) { __asm__ volatile("mov %0, %%gs" : : "r"(selector) : "memory"); }

static unsigned make_ldt(unsigned entry, uint64_t base)
{
    struct user_desc d = {.entry_number = entry, .base_addr = (unsigned)base, .limit = 0xfffff, .seg_32bit = 1, .limit_in_pages = 1, .useable = 1};
    return syscall(SYS_modify_ldt, 1, &d, sizeof d) ? 0 : entry << 3 | 7;
}

static void far_pointers(unsigned selector)
{
    uint64_t r = 0x1111222233334444;
    uint32_t r32;
    far64.offset = 0x5555666677778888, far64.selector = (uint16_t)selector;
    far32.offset = 0x99998888, far32.selector = (uint16_t)selector;
    far16.offset = 0x7777, far16.selector = (uint16_t)selector;
    load_gs(0);
    __asm__ volatile("lgsl %1, %0" : "=r"(r32) : "m"(far32) : "memory");
    printf("lgs %x %lu", r32, gs_word());
    load_gs(0);
    __asm__ volatile("lgsw %1, %w0" : "+r"(r) : "m"(far16) : "memory");
    printf(" %lx %lu\n", r, gs_word());
    uint64_t fs = __builtin_ia32_rdfsbase64(), v, after;
    // FS is libc's: it comes back at once.
    __asm__ volatile("lfsl %4, %k0; mov %%fs:16, %1; rdfsbase %2; wrfsbase %3" : "=&r"(r), "=&r"(v), "=&r"(after) : "r"(fs), "m"(far32) : "memory");
    printf("lfs %lx %lu %d", r, v, after == (uintptr_t)words);
    far32.selector = 0;
    __asm__ volatile("lfsl %2, %k0; wrfsbase %1" : "=&r"(r) : "r"(fs), "m"(far32) : "memory");
    printf(" %lx, %d\n", r, local);
}

static void bad(const char *what, unsigned selector)
{
    if (sigsetjmp(out, 1)) {
        printf("%s: SIGSEGV\n", what);
        return;
    }
    load_gs(selector);
    printf("%s: loaded\n", what);
}

int main(void)
{
    signal(SIGSEGV, on_segv);
    unsigned ldt = make_ldt(3, (uintptr_t)words);
    printf("ldt %x\n", ldt);
    if (ldt) { // the kernel may have been built without
        __asm__ volatile("push %q0; pop %%gs" : : "r"(ldt) : "memory");
        printf("ldt %lu\n", gs_word());
        far_pointers(ldt);
    }
    load_gs(0);
    bad("no entry", 5 << 3 | 7);
    bad("the kernel's", 0x10);
    bad("none", 3);
    load_gs(0);
    uint64_t r;
    // The same code segment, asked for with RPL 0: it is given as usual.
    __asm__ volatile("mov $7, %0; lea 1f(%%rip), %%rdx; mov %%edx, %1; movw $0x30, far32+4(%%rip); ljmp *%1; ud2\n"
                     "1: add $1, %0; lea 2f(%%rip), %%rdx; mov %%edx, %1; lcall *%1; jmp 3f\n"
                     "2: add $2, %0; movzwl 4(%%rsp), %%edx; shl $8, %%rdx; add %%rdx, %0; lretl; 3:"
                     : "=&r"(r), "+m"(far32) : : "rdx", "memory", "cc");
    printf("far %lx\n", r);
    return 0;
}
