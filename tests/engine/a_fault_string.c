// Repeated string instructions that run into a page that is not there: counters and pointers say how far they came.
#include "a_fault.h"

#define SRC "movabs $0x200000000f00, %rsi; movabs $0x200000004f80, %rdi; "
FAULT_SEQ(move_bytes, SRC "mov $0x1000, %ecx; rep movsb");
FAULT_SEQ(move_quads, SRC "mov $0x100, %ecx; rep movsq");
FAULT_SEQ(store, "movabs $0x200000000ff8, %rdi; mov $5, %ecx; rep stosq");
FAULT_SEQ(store_odd, "movabs $0x200000000ffd, %rdi; mov $5, %ecx; rep stosl");
/* The flags before are those of each comparison: Intel's CPUs show the former in the middle of such an instruction, AMD's
 * the latter. */
FAULT_SEQ(scan, "movabs $0x200000000ff0, %rdi; mov $0x77, %al; mov $-1, %rcx; cmp $1, %al; repne scasb");
FAULT_SEQ(compare, "movabs $0x200000000ff0, %rdi; movabs $0x200000000fe0, %rsi; mov $50, %ecx; cmp %al, %al; repe cmpsb");
FAULT_SEQ(backward, "movabs $0x200000000008, %rdi; mov $10, %ecx; std; rep stosb");
FAULT_SEQ(once, "xor %esi, %esi; lodsb");

int main(void)
{
    uint8_t *m = arena_map(0, 1, PROT_READ | PROT_WRITE), *n = arena_map(0x4000, 1, PROT_READ | PROT_WRITE);
    fault_install();
    memset(m, 1, PAGE);
    fault_try(move_bytes);
    fault_try(move_quads);
    fault_try(store);
    fault_try(store_odd);
    memset(m, 1, PAGE);
    fault_try(scan);
    fault_try(compare);
    fault_try(backward);
    fault_try(once);
    unsigned sum = 0;
    for (int i = 0; i < PAGE; i++)
        sum = sum * 31 + m[i] + n[i];
    printf("%x\n", sum);
    return 0;
}
