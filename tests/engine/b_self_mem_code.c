// SPDX-License-Identifier: Apache-2.0
// Code that the program patches through /proc/self/mem and process_vm_writev is run in its new form.
#include "b_check.h"
#include <fcntl.h>
#include <sys/mman.h>

int main(void)
{
    unsigned char *code = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fd = open("/proc/self/mem", O_RDWR);
    CHECK(code != MAP_FAILED && fd >= 0);
    unsigned char bytes[6] = { 0xb8, 0, 0, 0, 0, 0xc3 }; /* mov $n,%eax; ret */
    int (*fn)(void) = (int (*)(void))(uintptr_t)code;
    for (int i = 1; i < 50; i++) {
        bytes[1] = i;
        CHECK(pwrite(fd, bytes, 6, (long)code) == 6);
        CHECK(fn() == i);
    }
    say("patched code ok\n");
    return 0;
}
