// Stores and read-modify-writes that fault: to nothing, to a read-only page, over a page's end; nothing of the write is seen.
#include "a_fault.h"

#define ARENA_AT "movabs $0x200000000000, %rdi\n"
FAULT_SEQ(null_store, "xor %edi, %edi; mov %rax, 8(%rdi)");
FAULT_SEQ(read_only, ARENA_AT "mov %eax, 4(%rdi)");
FAULT_SEQ(immediate, ARENA_AT "mov $1, %ecx; movl $0x12345678, 0x10(%rdi); mov $2, %ecx");
FAULT_SEQ(over_end, ARENA_AT "mov %rax, 0x1ffc(%rdi)");
FAULT_SEQ(add_memory, ARENA_AT "stc; adc %ecx, 8(%rdi)");
FAULT_SEQ(increment, ARENA_AT "incq 8(%rdi)");
FAULT_SEQ(locked, ARENA_AT "lock xadd %rcx, 8(%rdi)");
FAULT_SEQ(exchange, ARENA_AT "xchg %rcx, 8(%rdi)");
FAULT_SEQ(compare_exchange, ARENA_AT "mov $5, %eax; cmpxchg %rcx, 8(%rdi)");
FAULT_SEQ(set_byte, ARENA_AT "setz 8(%rdi)");
FAULT_SEQ(shift, ARENA_AT "mov $3, %cl; shll %cl, 8(%rdi)");
FAULT_SEQ(vector, ARENA_AT "movups %xmm0, 0x1ff8(%rdi)");
FAULT_SEQ(bit_set, ARENA_AT "mov $0x1000, %ecx; bts %ecx, 8(%rdi)");
FAULT_SEQ(second_of_two, ARENA_AT "mov %rsi, 0x1000(%rdi); mov %rsi, 0x2000(%rdi)");
FAULT_SEQ(not_canonical, "mov %rax, (%rsi)");

int main(void)
{
    uint8_t *m = arena_map(0, 2, PROT_READ | PROT_WRITE);
    CHECK(mprotect(m, PAGE, PROT_READ) == 0);
    fault_install();
    fault_try(null_store);
    fault_try(read_only);
    fault_try(immediate);
    fault_try(over_end);
    fault_try(add_memory);
    fault_try(increment);
    fault_try(locked);
    fault_try(exchange);
    fault_try(compare_exchange);
    fault_try(set_byte);
    fault_try(shift);
    fault_try(vector);
    fault_try(bit_set);
    fault_try(second_of_two);
    fault_try(not_canonical);
    for (int i = 0; i < 2 * PAGE; i++)
        if (m[i])
            printf("%d: %x\n", i, m[i]);
    return 0;
}
