// SIGBUS: a file mapping past its end, for reading, writing and running.
#include "a_fault.h"

FAULT_SEQ(read_past, "movabs $0x200000002010, %rdi; mov (%rdi), %rax");
FAULT_SEQ(write_past, "movabs $0x200000002020, %rdi; movb $1, (%rdi)");
FAULT_SEQ(run_past, "movabs $0x200000002030, %rdi; jmp *%rdi");

int main(void)
{
    int fd = memfd_create("short", 0);
    CHECK(ftruncate(fd, 100) == 0);
    CHECK(mmap(ARENA, 4 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0) == ARENA);
    ARENA[200] = 1; // the rest of the last page is there
    fault_install();
    fault_try(read_past);
    fault_try(write_past);
    fault_try(run_past);
    return 0;
}
