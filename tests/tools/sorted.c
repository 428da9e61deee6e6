/* SPDX-License-Identifier: Apache-2.0
 * A program without libc, with its stack in its own data, so that its instructions and addresses are the same under every tool. Sorts, hashes and copies with operands of all integer sizes;
 * no repeated string instructions (counted.S has those). */
#define N 150
static volatile unsigned seed = 12345; /* initialised data: without any Valgrind reads no symbols */
static unsigned values[N];
static unsigned char bytes[4096];
static unsigned short shorts[512];
static unsigned long table[1024];
char stack[65536] __attribute__((aligned(4096)));

__asm__(".globl _start\n_start: lea stack+65536(%rip), %rsp\n call run\n mov %eax, %edi\n mov $60, %eax\n syscall\n");

static void sort(unsigned *v, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && v[j] < v[j - 1]; j--) {
            unsigned t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
}

static unsigned long hash(unsigned long x) { return (x * 0x9e3779b97f4a7c15ul) >> 54; }

static unsigned __attribute__((noinline)) recurse(unsigned n) { return n < 2 ? n : recurse(n - 1) + recurse(n - 2); }

int run(void)
{
    unsigned x = seed;
    for (int i = 0; i < N; i++)
        values[i] = x = x * 1103515245 + 12345;
    sort(values, N);
    for (int i = 1; i < N; i++)
        if (values[i] < values[i - 1])
            return 1;
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < sizeof bytes; i++) {
            bytes[i] ^= (unsigned char)i;
            shorts[i % 512] += bytes[i];
            table[hash(i + round)]++;
        }
    return recurse(15) == 610 ? 0 : 2;
}
