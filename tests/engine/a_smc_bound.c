// A loop over two pages, of which the second is made anew: once as code to which a tool's registers can be handed over (a bound link), once as code that begins with a REP instruction, to which they cannot
// (a plain one). Each link is cut when that page changes, also the plain one of an exit that was bound before.
#include "a_guest.h"

/* One pass: rax += words, all registers in use. The page at ARENA + 0x10000 is entered by a branch, and comes back by one. */
static void loop_make(uint8_t *at, const uint8_t *other)
{
    static const uint8_t code[] = {
        0x49, 0x03, 0x00,             // first: add (%r8), %rax
        0x4d, 0x01, 0x48, 0x08,       // add %r9, 8(%r8)
        0x4d, 0x31, 0x5a, 0x10,       // xor %r11, 16(%r10)
        0x48, 0xff, 0xcb,             // dec %rbx
        0x0f, 0x85, 0, 0, 0, 0,       // jnz other
        0xc3,                         // ret
    };
    int32_t distance = (int32_t)(other - (at + sizeof code - 1));
    memcpy(at, code, sizeof code);
    memcpy(at + sizeof code - 5, &distance, 4);
}

static size_t put(uint8_t *at, size_t n, const char *bytes, size_t more)
{
    memcpy(at + n, bytes, more);
    return n + more;
}

static void other_make(uint8_t *at, const uint8_t *first, int rep, int value)
{
    size_t n = rep ? put(at, 0, "\xf3\xa4", 2) : 0;              // rep movsb, of nothing: rcx is 0
    n = put(at, n, "\x4d\x01\x6a\x18", 4);                       // add %r13, 24(%r10)
    n = put(at, n, "\x48\x05", 2);                               // add $value, %rax
    n = put(at, n, (const char *)&value, 4);
    n = put(at, n, "\x4d\x01\x72\x20", 4);                       // add %r14, 32(%r10)
    n = put(at, n, "\x48\x85\xdb", 3);                           // test %rbx, %rbx
    int32_t distance = (int32_t)(first - (at + n + 6));
    n = put(at, n, "\x0f\x85", 2);                               // jnz first
    n = put(at, n, (const char *)&distance, 4);
    put(at, n, "\xc3", 1);
}

static long words[8];

static long run(const uint8_t *first, long passes)
{
    long rax = 0;
    register long *at __asm__("r8") = words;
    __asm__ volatile("push %%rbp; lea 3(%%rbx), %%rbp; mov %%rbx, %%r9; lea 5(%%rbx), %%r11; lea 7(%%rbx), %%r12; lea 9(%%rbx), %%r13; lea 11(%%rbx), %%r14; lea 13(%%rbx), %%r15\n"
                     "mov %%r8, %%r10; xor %%ecx, %%ecx; mov %%r8, %%rsi; mov %%r8, %%rdi; sub $128, %%rsp; call *%%rdx; add $128, %%rsp\n"
                     "add %%rbp, %%rax; add %%r12, %%rax; add %%r15, %%rax; add %%rcx, %%rax; pop %%rbp"
                     : "+a"(rax), "+b"(passes), "+d"(first) : "r"(at) : "rcx", "rsi", "rdi", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory");
    return rax;
}

int main(void)
{
    static const int reps[] = {0, 1, 0, 1, 1, 0, 0, 1, 0, 1}; // bound, plain, bound, ...
    uint8_t *first = arena_map(0, 1, PROT_READ | PROT_WRITE), *other = arena_map(0x10000, 1, PROT_READ | PROT_WRITE);
    loop_make(first, other);
    CHECK(mprotect(first, PAGE, PROT_READ | PROT_EXEC) == 0);
    for (int i = 0; i < 40; i++) {
        CHECK(mprotect(other, PAGE, PROT_READ | PROT_WRITE) == 0);
        other_make(other, first, reps[i % 10], 1000 + i * 37);
        CHECK(mprotect(other, PAGE, PROT_READ | PROT_EXEC) == 0);
        printf("%ld ", run(first, 20 + i));
    }
    for (int i = 0; i < 8; i++)
        printf("%lx ", words[i]);
    printf("\n");
    return 0;
}
