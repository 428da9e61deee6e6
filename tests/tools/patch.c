/* SPDX-License-Identifier: Apache-2.0
 * Changes its own code, then makes code in memory that belongs to no image. Prints 1 2 3. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline, aligned(16))) int answer(void)
{
    int n = 1;
    __asm__ volatile("" : "+r"(n));
    return n;
}

int main(void)
{
    static const unsigned char two[] = {0xb8, 2, 0, 0, 0, 0xc3}, three[] = {0xb8, 3, 0, 0, 0, 0xc3}; /* mov eax, N; ret */
    int first = answer();
    unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE), at = (unsigned long)answer & ~(page - 1);
    if (mprotect((void *)at, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC))
        return 2;
    memcpy((void *)answer, two, sizeof two);
    int second = answer();
    void *made = mmap(NULL, page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return 2;
    memcpy(made, three, sizeof three);
    int (*third)(void) = (int (*)(void))made;
    printf("%d %d %d\n", first, second, third());
    return 0;
}
