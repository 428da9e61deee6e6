/* SPDX-License-Identifier: Apache-2.0
 * The objects that the engine makes in C (multi.h) are objects of the abstract classes in C++. Run with elements_c.c. */
#include "pin.H"

#include <cstdio>

extern "C" void *make_elements(void);
extern "C" void *make_scattered(void);

int main()
{
    IMULTI_ELEMENT_OPERAND *op = static_cast<IMULTI_ELEMENT_OPERAND *>(make_elements());
    ISCATTERED_MEMORY_REWRITE *mem = static_cast<ISCATTERED_MEMORY_REWRITE *>(make_scattered());
    mem->SetElementAddress(2, 0x99);
    std::printf("%d%d %u %lx %u %lx %u %u %u %d\n", op->IsMemory(), op->IsRegister(), op->NumOfElements(), op->Address(), op->Size(), op->ElementAddress(3), op->ElementSize(4),
        op->ElementOffset(5), op->ElementMaskValue(6), op->ElementAccessType(0));
    std::printf("%u %lx %u %u %u\n", mem->NumOfElements(), mem->ElementAddress(2), mem->ElementSize(3), mem->ElementOffset(4), mem->ElementMaskValue(5));
    return 0;
}
