// SPDX-License-Identifier: Apache-2.0
// /proc/self/auxv equals the vector on the stack, and its entries point where they must.
#include "b_check.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>

extern char **environ;
extern char __executable_start[], _start[];

int main(int argc, char **argv)
{
    char **p = environ;
    Elf64_auxv_t file[64];
    int fd = open("/proc/self/auxv", O_RDONLY);
    CHECK(fd >= 0 && argc == 1);
    int len = read(fd, file, sizeof file);
    CHECK(len > 0 && read(fd, file + 60, 16) == 0);
    while (*p++)
        ;
    Elf64_auxv_t *stack = (Elf64_auxv_t *)p;
    CHECK(!memcmp(stack, file, len));
    CHECK(getauxval(AT_ENTRY) == (unsigned long)_start);
    CHECK(getauxval(AT_PHDR) == (unsigned long)__executable_start + ((Elf64_Ehdr *)__executable_start)->e_phoff);
    CHECK(getauxval(AT_PHNUM) == ((Elf64_Ehdr *)__executable_start)->e_phnum);
    CHECK(!strcmp((char *)getauxval(AT_EXECFN), argv[0]) && getauxval(AT_SECURE) == 0);
    CHECK(!memcmp((void *)getauxval(AT_BASE), "\177ELF", 4) && !memcmp((void *)getauxval(AT_SYSINFO_EHDR), "\177ELF", 4));
    CHECK(!strcmp((char *)getauxval(AT_PLATFORM), "x86_64") && getauxval(AT_PAGESZ) == 4096);
    for (int i = 0; file[i].a_type; i++)
        say("%lu ", file[i].a_type);
    CHECK(getauxval(AT_UID) == getuid() && getauxval(AT_HWCAP) != 0);
    say("\nauxv ok\n");
    return 0;
}
