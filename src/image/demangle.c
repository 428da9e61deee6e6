/* SPDX-License-Identifier: Apache-2.0
 * Names as the programmer wrote them, by GNU libiberty (C++, and Rust's own scheme). A suffix that is not part of
 * the mangled name (@plt, @version) stays. No state. */
#include "image/image.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

static char *plain(const char *name, bool name_only)
{
    char *rust = name[0] == '_' && name[1] == 'R' ? rust_demangle(name, DMGL_NO_OPTS) : NULL;
    return rust ? rust : cplus_demangle_v3(name, name_only ? DMGL_NO_OPTS : DMGL_PARAMS | DMGL_ANSI);
}

char *demangle(const char *name, bool name_only)
{
    const char *at = name[0] == '_' ? strchr(name, '@') : NULL;
    if (name[0] != '_')
        return NULL;
    if (!at)
        return plain(name, name_only);
    char *head = strndup(name, (size_t)(at - name)), *base = head ? plain(head, name_only) : NULL, *out = NULL;
    if (base && (out = malloc(strlen(base) + strlen(at) + 1)))
        strcat(strcpy(out, base), at);
    free(head);
    free(base);
    return out;
}
