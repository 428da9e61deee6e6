// SPDX-License-Identifier: Apache-2.0
// Calls of the vsyscall page, where the kernel has it: through a register, one that takes a prefix, memory beside the
// code and on the stack, and a jump. The last system call tells the tool how many there were; its first argument is odd.
// modes: plain one nolink
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 0xffffffffff600400ul
unsigned long place = PAGE; /* of time */

#define CALL(how) do { \
    register unsigned long page __asm__("r8") = PAGE; \
    __asm__ volatile(how : "=a"(result) : "D"(&t), "r"(page) : "rcx", "rdx", "r9", "r10", "r11", "memory"); \
} while (0)

static int there(void)
{
    char line[512];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        found |= strstr(line, "[vsyscall]") != NULL;
    fclose(maps);
    return found;
}

int main(void)
{
    long result, good = 0, made = there() ? 5 : 0;
    time_t t = 0, before = time(NULL);
    if (made) {
        CALL("mov %2, %%rax\n\tcall *%%rax");
        good += result == t && t >= before;
        CALL("call *%2");
        good += result == t && t >= before;
        CALL("call *place(%%rip)");
        good += result == t && t >= before;
        CALL("sub $136, %%rsp\n\tmov %2, 8(%%rsp)\n\tcall *8(%%rsp)\n\tadd $136, %%rsp");
        good += result == t && t >= before;
        CALL("sub $128, %%rsp\n\tlea 1f(%%rip), %%rax\n\tpush %%rax\n\tjmp *%2\n1:\tadd $128, %%rsp");
        good += result == t && t >= before;
    }
    syscall(SYS_getpriority, 99, made);
    return good != made;
}
//> vsyscall
//= all seen, 0 wrong
//> vsyscall change=1 status=1
//= all seen, 0 wrong
