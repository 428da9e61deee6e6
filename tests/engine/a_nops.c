// test: modes=plain,inproc,one
// SPDX-License-Identifier: Apache-2.0
// The opcodes 0F 18 to 0F 1F, which hint at something or do nothing, with all prefixes and operands: which are executed, and how long they are.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

enum { EACH = 32, OPCODES = 8, PREFIXES = 4, OPERANDS = 256, ALL = OPCODES * PREFIXES * OPERANDS };

static sigjmp_buf out;

static void on_signal(int sig) { siglongjmp(out, sig); }

/* The instruction, then exchanges that show where it ends. */
static void write_code(unsigned char *p, int opcode, int prefix, int operand)
{
    static const unsigned char prefixes[PREFIXES] = {0, 0x66, 0xf2, 0xf3};
    memset(p, 0x90, EACH - 1);
    p[EACH - 1] = 0xc3;
    if (prefixes[prefix])
        *p++ = prefixes[prefix];
    *p++ = 0x0f;
    *p++ = (unsigned char)(0x18 + opcode);
    *p++ = (unsigned char)operand;
    for (int i = 0; i < 12; i++)
        *p++ = 0x91 - (i & 1); /* exchanges with rcx, and nops */
}

int main(void)
{
    unsigned char *code = mmap(NULL, ALL * EACH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static const int signals[] = {SIGILL, SIGSEGV, SIGBUS};
    CHECK(code != MAP_FAILED);
    for (int i = 0; i < ALL; i++)
        write_code(code + i * EACH, i / (PREFIXES * OPERANDS), i / OPERANDS % PREFIXES, i % OPERANDS);
    CHECK(mprotect(code, ALL * EACH, PROT_READ | PROT_EXEC) == 0);
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], on_signal);
    for (int i = 0; i < ALL; i++) {
        long a = 1, c = 2;
        int sig = sigsetjmp(out, 1);
        if (!sig)
            __asm__ volatile("call *%2" : "+a"(a), "+c"(c) : "r"(code + i * EACH) : "rbx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
        say("%x %x %x: %d %ld %ld\n", 0x18 + i / (PREFIXES * OPERANDS), i / OPERANDS % PREFIXES, i % OPERANDS, sig, sig ? 0 : a, sig ? 0 : c);
    }
    return 0;
}
