/* SPDX-License-Identifier: Apache-2.0
 * See versions.h. Owns the table of the tool's names for versions. Under jit_lock. */
#include "jit/versions.h"

#include "jit/requests.h"
#include "os/hostmem.h"

#include <stdlib.h>

static u64 *names; /* names[i] is the tool's name of version number i + 1 */
static u32 count, room;

void versions_use(void)
{
    if (versions_used)
        return;
    versions_used = true;
    jit_request_flush(); /* traces made before have no code that stores their version */
}

u16 versions_number(u64 name)
{
    for (u32 i = 0; i < count; i++)
        if (names[i] == name)
            return (u16)(i + 1);
    if (!name)
        return 0;
    if (count + 1 == VERSIONS_MAX)
        return VERSIONS_MAX;
    if (count == room) {
        room = room ? 2 * room : 16;
        names = realloc(names, room * sizeof *names);
        if (!names)
            hostmem_die("versions of traces");
    }
    names[count++] = name;
    return (u16)count;
}

u64 versions_name(u16 number) { return number && number != VERSION_NATIVE ? names[number - 1] : 0; }
