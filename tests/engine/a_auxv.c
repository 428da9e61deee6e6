// The auxiliary vector is the guest's own: tags in the kernel's order, pointers to the guest's things.
// test[pie]: cc=-pie -fPIE
// test[static]: cc=-static
#include "a_guest.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>

extern const ElfW(Ehdr) __ehdr_start;
extern char _start[], **environ;

int main(int argc, char **argv)
{
    (void)argc;
    char **e = environ;
    while (*e)
        e++;
    const ElfW(auxv_t) *on_stack = (void *)(e + 1);
    size_t n = 0;
    for (; on_stack[n].a_type != AT_NULL; n++)
        printf("%lu%s", on_stack[n].a_type, on_stack[n + 1].a_type ? " " : "\n");
    ElfW(auxv_t) from_proc[64];
    int fd = open("/proc/self/auxv", O_RDONLY);
    ssize_t got = read(fd, from_proc, sizeof from_proc);
    CHECK(got >= (ssize_t)((n + 1) * sizeof *from_proc));
    printf("proc same %d\n", memcmp(on_stack, from_proc, (n + 1) * sizeof *from_proc) == 0);
    printf("phdr %d\n", getauxval(AT_PHDR) == (uintptr_t)&__ehdr_start + __ehdr_start.e_phoff);
    printf("phnum %d phent %lu\n", getauxval(AT_PHNUM) == __ehdr_start.e_phnum, getauxval(AT_PHENT));
    printf("entry %d\n", getauxval(AT_ENTRY) == (uintptr_t)_start);
    uintptr_t base = getauxval(AT_BASE);
    printf("base %s\n", !base ? "none" : memcmp((void *)base, ELFMAG, SELFMAG) ? "bad" : "ELF");
    printf("execfn %d\n", strcmp((char *)getauxval(AT_EXECFN), argv[0]) == 0);
    printf("execfn is last on the stack %d\n", (getauxval(AT_EXECFN) + strlen(argv[0]) + 1 + 8) % PAGE == 0);
    uint8_t *r = (void *)getauxval(AT_RANDOM), zero[16] = {0};
    printf("random %d %d\n", r > (uint8_t *)argv, memcmp(r, zero, 16) != 0);
    printf("platform %s\n", (char *)getauxval(AT_PLATFORM));
    printf("page %lu secure %lu uid %d hwcap %lx hwcap2 %lx minsigstk %lu clk %lu\n", getauxval(AT_PAGESZ), getauxval(AT_SECURE),
           getauxval(AT_UID) == getuid(), getauxval(AT_HWCAP), getauxval(AT_HWCAP2), getauxval(AT_MINSIGSTKSZ), getauxval(AT_CLKTCK));
    uint8_t *vdso = (void *)getauxval(AT_SYSINFO_EHDR);
    printf("vdso %d\n", vdso && memcmp(vdso, ELFMAG, SELFMAG) == 0);
    return 0;
}
