/* SPDX-License-Identifier: Apache-2.0
 * The probes of tools/probes.h with arguments from the native stepper's facts, in the order in which the tool inserts them. Owns what was seen. */
#include "truth.h"

#include "tools/probes.h"

#include <stdlib.h>

#define NUMBER(probe, which) plan_number(f->pc, PROBE_##probe, which)
#define RANDOM_REG(probe) f->gpr[NUMBER(probe, 1) % 16]
#define SMALL(probe, which) (uint32_t) NUMBER(probe, which)

bool truth_option(const char *name, const char *value)
{
    if (!strcmp(name, "-groups"))
        snprintf(plan_groups, sizeof plan_groups, "%s", value);
    else if (!strcmp(name, "-seed"))
        plan_seed = strtoull(value, NULL, 0);
    else if (!strcmp(name, "-density"))
        plan_density = strtoull(value, NULL, 0);
    else
        return false;
    return true;
}

void truth_begin(void) { seen_begin(); }
void truth_end(FILE *out, word number) { seen_end(out, number); }

static word narrow(word value, word width)
{
    static const word mask[] = {0xffffffff, 0xffff, 0xff};
    return value & mask[width % 3];
}

static void accesses(const struct truth_facts *f, unsigned probe)
{
    for (unsigned i = 0; i < f->nmem; i++) {
        word ea = f->mem[i].ea;
        uint32_t size = f->mem[i].size, how = f->mem[i].read + 2u * f->mem[i].write;
        struct seen_record record = {.ea = ea, .pc = f->pc, .size = size};
        if (probe == PROBE_ACCESS)
            see_access(ea, size, how);
        else if (probe == PROBE_EXECUTED && f->executing)
            see_executed(ea, size, f->pc);
        else if (probe == PROBE_FILL || (probe == PROBE_FILL_EXECUTED && f->executing))
            see_record(&record);
    }
}

static void counter(const struct truth_facts *f, unsigned probe)
{
    switch (probe) {
    case PROBE_COUNT: see_count(); break;
    case PROBE_TABLE: see_table(&seen.table0 + NUMBER(TABLE, 1) % 4, NUMBER(TABLE, 2) % 1000); break;
    case PROBE_THREAD: see_thread(0, NUMBER(THREAD, 1) % 5); break;
    case PROBE_DATA: seen.data++; break;
    case PROBE_REGISTER: seen.reg++; break;
    case PROBE_ANYWHERE: see_anywhere((uint32_t)(f->next - f->pc)); break;
    case PROBE_PREDICATED:
        if (f->executing)
            see_predicated();
    }
}

/* The only one that reads, or that writes; none: NULL. */
static const word *only(const struct truth_facts *f, bool write, uint32_t *size)
{
    const word *found = NULL;
    for (unsigned i = 0; i < f->nmem && f->accesses; i++)
        if (write ? f->mem[i].write : f->mem[i].read) {
            if (found)
                return NULL;
            found = &f->mem[i].ea;
            *size = f->mem[i].size;
        }
    return found;
}

static void fold(const struct truth_facts *f) { see_fold(RANDOM_REG(FOLD), NUMBER(FOLD, 2) % 64, SMALL(FOLD, 3), NUMBER(FOLD, 4)); }

static void inlined(const struct truth_facts *f, unsigned probe)
{
    uint32_t size = 0;
    const word *read = only(f, false, &size);
    switch (probe) {
    case PROBE_VALUE: see_value(f->pc, RANDOM_REG(VALUE)); break;
    case PROBE_NARROW: see_value(f->pc, narrow(RANDOM_REG(NARROW), NUMBER(NARROW, 2))); break;
    case PROBE_FLAGS: see_flags(f->flags, SMALL(FLAGS, 1)); break;
    case PROBE_ACCESS: case PROBE_EXECUTED: case PROBE_FILL: case PROBE_FILL_EXECUTED:
        if (f->accesses)
            accesses(f, probe);
        break;
    case PROBE_FOLD: fold(f); break;
    case PROBE_LOOP:
        if (read)
            see_loop(f->pc, *read, size);
        break;
    case PROBE_PARTIAL: see_partial(RANDOM_REG(PARTIAL), NUMBER(PARTIAL, 2) % 4, f->pc); break;
    case PROBE_BRANCH:
        if (f->branch)
            see_branch(f->pc, f->target, f->taken, f->next);
        break;
    case PROBE_IF:
        if (see_if(RANDOM_REG(IF), NUMBER(IF, 2) % 64))
            see_then(f->pc, f->gpr[NUMBER(IF, 3) % 16]);
    }
}

static void registers(const struct truth_facts *f, word *digest)
{
    word all[18];
    memcpy(all, f->gpr, sizeof f->gpr);
    all[16] = f->flags;
    all[17] = f->pc;
    see_registers(digest, all);
}

static void many(const struct truth_facts *f)
{
    see_many(f->pc, RANDOM_REG(MANY), f->gpr[NUMBER(MANY, 2) % 16], f->flags, NUMBER(MANY, 3), SMALL(MANY, 4), f->executing, 0, f->gpr[NUMBER(MANY, 5) % 16],
             (uint32_t)(f->next - f->pc));
}

static void vector(const struct truth_facts *f)
{
    word half[2];
    unsigned n = NUMBER(VECTOR, 1) % 16;
    if (!truth_vector(half, n))
        truth_die("vector registers");
    see_vector(half, n);
}

static void state(const struct truth_facts *f, unsigned probe)
{
    uint32_t size = 0, write_size = 0;
    const word *read = only(f, false, &size), *write = only(f, true, &write_size);
    switch (probe) {
    case PROBE_CONTEXT: registers(f, &seen.context); break;
    case PROBE_CHANGEABLE: registers(f, &seen.changeable); break;
    case PROBE_MANY: many(f); break;
    case PROBE_REFERENCE: see_reference(&RANDOM_REG(REFERENCE), f->pc); break;
    case PROBE_VECTOR: vector(f); break;
    case PROBE_REPEAT:
        if (f->rep)
            see_repeat(f->pc, f->first, f->executing, f->gpr[1]);
        break;
    case PROBE_READ:
        if (read)
            see_read(*read, size, f->pc);
        break;
    case PROBE_WRITE:
        if (write)
            see_write(*write, write_size, f->pc);
    }
}

static void fill(const struct truth_facts *f, unsigned probe)
{
    struct seen_record r = {.pc = f->pc};
    if (probe == PROBE_FILL_VALUE) {
        r.ea = NUMBER(FILL_VALUE, 2);
        r.value = RANDOM_REG(FILL_VALUE);
        r.size = (uint32_t)(f->next - f->pc);
        r.kind = 1;
        see_record(&r);
    } else if (probe == PROBE_FILL_THEN && see_if(RANDOM_REG(FILL_THEN), NUMBER(FILL_THEN, 2) % 64)) {
        r.value = f->gpr[NUMBER(FILL_THEN, 3) % 16];
        r.kind = 2;
        see_record(&r);
    }
}

void truth_before(const struct truth_facts *f)
{
    for (unsigned probe = 0; probe < PROBE_COUNT_; probe++)
        if (plan_has(f->pc, probe)) {
            counter(f, probe);
            inlined(f, probe);
            state(f, probe);
            fill(f, probe);
        }
}

static void behind(const struct truth_facts *f, const struct user_regs_struct *r)
{
    word gpr[16];
    truth_gprs(gpr, r);
    if (plan_has(f->pc, PROBE_PAST))
        see_past(NUMBER(PAST, 1) % 9);
    if (plan_has(f->pc, PROBE_AFTER))
        see_after(f->pc, gpr[NUMBER(AFTER, 1) % 16], r->eflags);
}

void truth_after(const struct truth_facts *f, const struct user_regs_struct *r)
{
    if (f->after)
        behind(f, r);
    if (!f->branch || !f->taken)
        return;
    if (plan_has(f->pc, PROBE_TAKEN))
        see_taken(NUMBER(TAKEN, 1) % 9);
    if (plan_has(f->pc, PROBE_ARRIVED))
        see_arrived(f->pc, f->target);
}
