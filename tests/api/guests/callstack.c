// SPDX-License-Identifier: Apache-2.0
// Calls to follow: recursion, a function in a library, a jump to another function at the end, longjmp out of three calls.
#include <ctype.h>
#include <setjmp.h>

int last(int n) { return n + 1; }
__attribute__((optimize("optimize-sibling-calls"))) int hop(int n) { return last(n * 2); }
int count(int n)
{
    int below = n ? count(n - 1) : 0;
    __asm__ volatile("");
    return below + 1;
}
static jmp_buf back;
int jump_out(int n)
{
    if (n == 0)
        longjmp(back, 1);
    if (n < 0)
        return 0;
    int r = jump_out(n - 1);
    __asm__ volatile("");
    return r + 1;
}
int main(void)
{
    int n = hop(3) + count(2);
    if (!setjmp(back))
        jump_out(2);
    int after = count(0);
    volatile int letter = 'a';
    return n + after + (toupper(letter) != 'A');
}
//> callstack status=11
//= in hop, depth 1, rdi 3, rax 0
//= in last, depth 1, rdi 6, rax 0
//= out of last, depth 1, rdi 6, rax 7
//= out of hop, depth 1, rdi 6, rax 7
//= in count, depth 1, rdi 2, rax 0
//= in count, depth 2, rdi 1, rax 0
//= in count, depth 3, rdi 0, rax 0
//= #0 count
//= #1 count
//= #2 count
//= #3 main
//= out of count, depth 3, rdi 0, rax 1
//= out of count, depth 2, rdi 0, rax 2
//= out of count, depth 1, rdi 0, rax 3
//= in jump_out, depth 1, rdi 2, rax 0
//= in jump_out, depth 2, rdi 1, rax 0
//= in jump_out, depth 3, rdi 0, rax 0
//= in count, depth 1, rdi 0, rax 0
//= out of count, depth 1, rdi 0, rax 1
//= in toupper, depth 1, rdi 97, rax 0
//= out of toupper, depth 1, rdi 97, rax 65
//= out of main, depth 0, rdi 97, rax 11
//= callstack: right
