// Code whose page loses its right to run, or disappears, while it is known: the next entry faults; with the right back it runs.
#include "a_fault.h"

FAULT_SEQ(run, "movabs $0x200000000000, %rdx; call *%rdx; mov $0x99, %ecx");

int main(void)
{
    uint8_t *m = arena_map(0, 1, PROT_READ | PROT_WRITE | PROT_EXEC);
    static const int prots[] = {PROT_READ | PROT_WRITE, PROT_NONE, PROT_READ, PROT_EXEC, PROT_READ | PROT_EXEC};
    code_return(m, 5);
    fault_install();
    for (int i = 0; i < 5; i++) {
        printf("%d\n", code_call(m));
        CHECK(mprotect(m, PAGE, prots[i]) == 0);
        fault_try(run);
        CHECK(mprotect(m, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    }
    printf("%d\n", code_call(m));
    CHECK(munmap(m, PAGE) == 0);
    fault_try(run);
    return 0;
}
