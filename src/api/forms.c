/* SPDX-License-Identifier: Apache-2.0
 * See forms.h. A list that only grows at its end, by an exchange: a thread that finds the end taken looks at what
 * another has put there, and a child of a fork finds the list whole. */
#include "api/forms.h"
#include "iform.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FORMS 65534u

struct form {
    struct form *next;
    char name[];
};

static struct form *first;

static struct form *next_of(struct form *const *at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }

static struct form *make(const char *name)
{
    size_t bytes = strlen(name) + 1;
    struct form *f = malloc(sizeof *f + bytes);
    if (!f)
        die(1, "no memory for the forms of instructions");
    f->next = NULL;
    memcpy(f->name, name, bytes);
    return f;
}

/* Returns what is at the end then: the new form, or another thread's. */
static struct form *put(struct form **at, struct form *new)
{
    struct form *other = NULL;
    return __atomic_compare_exchange_n(at, &other, new, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ? new : other;
}

static u32 number_of(const char *name)
{
    struct form **at = &first, *new = NULL, *f;
    u32 n = 1;
    for (; n <= MAX_FORMS; n++, at = &f->next) {
        f = next_of(at);
        if (!f)
            f = put(at, new ? new : (new = make(name)));
        if (f == new)
            return n;
        if (!strcmp(f->name, name))
            break;
    }
    free(new);
    return n <= MAX_FORMS ? n : 0;
}

u32 forms_number(const struct ins_facts *f)
{
    char name[IFORM_NAME_BYTES];
    return iform_name(f, name) ? number_of(name) : 0;
}

const char *forms_name(u32 number)
{
    const struct form *f = number ? next_of(&first) : NULL;
    for (; f && number > 1; number--)
        f = next_of(&f->next);
    return f ? f->name : NULL;
}
