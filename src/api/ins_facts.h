/* SPDX-License-Identifier: Apache-2.0
 * What the INS_* inspection functions share: handles to objects and facts, with the misuse message. */
#ifndef LP_API_INS_FACTS_H
#define LP_API_INS_FACTS_H
#include "opt/objects.h"
#include "facts.h"
#include "linchpin/api_text.h"

/* The object of a handle; an invalid one is the caller's mistake. */
struct ins *ins_checked(INS ins, const char *call);
const struct ins_facts *ins_facts(INS ins, const char *call);
const struct fact_operand *ins_operand(INS ins, u32 n, const char *call);
const struct fact_operand *ins_memory_operand(INS ins, u32 n, const char *call);
/* rtn.c: makes the instructions of the open routine that follow its last one so far. */
void rtn_walk_on(const struct ins *last);

#define FACTS(ins) ins_facts(ins, __func__)
#define OPERAND(ins, n) ins_operand(ins, n, __func__)
#define MEMORY(ins, n) ins_memory_operand(ins, n, __func__)

#endif
