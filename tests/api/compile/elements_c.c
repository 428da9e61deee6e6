/* SPDX-License-Identifier: Apache-2.0
 * The engine's side of elements.cpp. */
#include "linchpin/multi.h"

struct object { const void *fn; ADDRINT address[8]; };

static BOOL is_memory(const VOID *self) { (void)self; return true; }
static BOOL is_register(const VOID *self) { (void)self; return false; }
static UINT32 elements(const VOID *self) { (void)self; return 8; }
static ADDRINT address(const VOID *self) { return ((const struct object *)self)->address[0]; }
static USIZE size(const VOID *self) { (void)self; return 64; }
static ADDRINT element_address(const VOID *self, UINT32 i) { return ((const struct object *)self)->address[i]; }
static USIZE element_size(const VOID *self, UINT32 i) { (void)self; return 100 + i; }
static UINT32 element_offset(const VOID *self, UINT32 i) { (void)self; return 200 + i; }
static UINT32 element_mask(const VOID *self, UINT32 i) { (void)self; return 300 + i; }
static PIN_OP_ELEMENT_ACCESS element_access(const VOID *self, UINT32 i) { (void)self, (void)i; return PIN_OP_ELEMENT_ACCESS_READWRITE; }
static VOID set_address(VOID *self, UINT32 i, ADDRINT a) { ((struct object *)self)->address[i] = a; }

static const struct lp_multi_element_table multi = {0, NULL, {is_memory, is_register, elements, address, size, element_address, element_size, element_offset, element_mask, element_access}};
static const struct lp_scattered_table scattered = {0, NULL, {elements, element_address, element_size, element_offset, element_mask, set_address}};

void *make_elements(void);
void *make_scattered(void);
void *make_elements(void)
{
    static struct object o = {&multi.fn, {0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17}};
    return &o;
}
void *make_scattered(void)
{
    static struct object o = {&scattered.fn, {0}};
    return &o;
}
