/* SPDX-License-Identifier: Apache-2.0
 * An IA-32 program without libc whose number of instructions is the same in every run: sorting, recursion, 64-bit
 * arithmetic, x87 and SSE, tables of functions, strings. Ends with its result. */
typedef unsigned u32;
typedef unsigned long long u64;

static u32 seed = 12345;
static u32 items[400];
static char text[512];

static u32 next(void) { return seed = seed * 1664525 + 1013904223; }

void *memset(void *to, int c, u32 n)
{
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(c) : "memory");
    return to;
}

static void sort(u32 *a, int low, int high)
{
    int i = low, j = high;
    u32 middle = a[(low + high) / 2], t;
    while (i <= j) {
        while (a[i] < middle)
            i++;
        while (a[j] > middle)
            j--;
        if (i <= j)
            t = a[i], a[i++] = a[j], a[j--] = t;
    }
    if (low < j)
        sort(a, low, j);
    if (i < high)
        sort(a, i, high);
}

static u32 fib(u32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static u32 add(u32 a, u32 b) { return a + b; }
static u32 sub(u32 a, u32 b) { return a - b; }
static u32 mix(u32 a, u32 b) { return (a ^ b) * 31; }
static u32 __attribute__((stdcall)) swap(u32 a) { return __builtin_bswap32(a); }
static u32 (*volatile table[4])(u32, u32) = {add, sub, mix, add};

static u32 choose(u32 v)
{
    switch (v % 7) {
    case 0: return v + 1;
    case 1: return v * 3;
    case 2: return v ^ 0x55;
    case 3: return v >> 3;
    case 4: return ~v;
    case 5: return v - 9;
    default: return v;
    }
}

int __attribute__((force_align_arg_pointer)) work(void)
{
    u64 wide = 1;
    volatile double d = 1;
    volatile long double l = 1;
    u32 sum = fib(15);
    for (int i = 0; i < 400; i++)
        items[i] = next();
    sort(items, 0, 399);
    for (int i = 1; i < 400; i++)
        sum += items[i - 1] > items[i] ? 1000000 : table[i & 3](items[i], sum);
    for (int i = 0; i < 300; i++) {
        wide = wide * 6364136223846793005ull + sum;
        sum += (u32)(wide >> 33) + choose(sum) + swap(sum);
        d = d * 1.0001 + i;
        l = l * 1.5L - d;
    }
    memset(text, 'x', sizeof text);
    for (u32 i = 0; i < sizeof text; i++)
        sum += (u32)text[i];
    return (int)((sum + (u32)d + (u32)(int)(l != 0) + (u32)wide) & 127);
}

__asm__(".globl _start\n_start:\n\tcall work\n\tmov %eax, %ebx\n\tmov $1, %eax\n\tint $0x80\n");
