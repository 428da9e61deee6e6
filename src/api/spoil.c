/* SPDX-License-Identifier: Apache-2.0
 * Wrong on purpose (-api_spoil): at the boundary, so that the engine itself is right, and only what the tool is told or
 * asks for is not. tests/api/spoil.py asks with it whether a test looks at what a name gives. Rule A62. */
#include "api/spoil.h"

#include "api/reached.h"
#include "linchpin/iarg.h"
#include "opt/objects.h"

#include <stdlib.h>
#include <string.h>

static u64 give_0(void) { return 0; }
static u64 give_1(void) { return 1; }
static const char *give_text(void) { return "spoilt"; }

static const struct {
    const char *how;
    void *fn;
} ways[] = {{"0", (void *)give_0}, {"1", (void *)give_1}, {"text", (void *)give_text}};

struct spoiling {
    char name[60];
    void *fn;
    u32 led;
};

u32 spoil_iarg;

static void lead(const struct tool_reference *ref, void *arg)
{
    struct spoiling *s = arg;
    if (strcmp(ref->name, s->name) != 0)
        return;
    reached_lead(ref, s->fn);
    s->led++;
}

static void *way(const char *how)
{
    for (size_t i = 0; i < ARRAY_LEN(ways); i++)
        if (!strcmp(how, ways[i].how))
            return ways[i].fn;
    die(1, "-api_spoil: '%s' is none of 0, 1 and text", how);
}

void spoil_start(void *tool, const char *what)
{
    if (!strncmp(what, "IARG ", 5)) {
        spoil_iarg = (u32)strtoul(what + 5, NULL, 10);
        return;
    }
    const char *equals = strchr(what, '=');
    struct spoiling s = {.led = 0};
    if (!equals || (size_t)(equals - what) >= sizeof s.name)
        die(1, "-api_spoil: '%s' is not NAME=HOW", what);
    memcpy(s.name, what, (size_t)(equals - what));
    s.fn = way(equals + 1);
    reached_references(tool, lead, &s);
    if (!s.led)
        die(1, "-api_spoil: the tool does not call %s", s.name);
}

/* What is given as a pointer points to zeros, which the routine may write to; constants differ in their lowest bit. */
void spoil_arg(struct call_arg *a)
{
    static u8 zeros[64 * 1024];
    u64 value = 0;
    switch (a->iarg) {
    case IARG_ADDRINT: case IARG_BOOL: case IARG_UINT32: case IARG_UINT64: value = a->value ^ 1; break;
    case IARG_PTR: case IARG_CONTEXT: case IARG_CONST_CONTEXT: case IARG_PARTIAL_CONTEXT: case IARG_REG_REFERENCE:
    case IARG_REG_CONST_REFERENCE: case IARG_FUNCARG_ENTRYPOINT_REFERENCE: case IARG_FUNCARG_CALLSITE_REFERENCE:
    case IARG_FUNCRET_EXITPOINT_REFERENCE: case IARG_SYSARG_REFERENCE: case IARG_MULTI_MEMORYACCESS_EA:
    case IARG_MULTI_ELEMENT_OPERAND: case IARG_MEMORYOP_PTR: case IARG_MEMORYREAD_PTR: case IARG_MEMORYREAD2_PTR:
    case IARG_MEMORYWRITE_PTR:
        value = (u64)zeros;
        break;
    }
    *a = (struct call_arg){.iarg = IARG_ADDRINT, .value = value, .offset = a->offset};
}
