/* SPDX-License-Identifier: Apache-2.0
 * Source locations and undecorated names. Under image_lock, but for the demangler, which needs no lock. */
#include "opt/objects.h"
#include "image/image.h"
#include "linchpin/api_text.h"

#include <stdlib.h>

VOID PIN_GetSourceLocation(ADDRINT address, INT32 *column, INT32 *line, const CHAR **file)
{
    const char *name = NULL;
    int line_number = 0, column_number = 0;
    image_lock();
    struct image *im = image_find(address);
    if (!im || !lines_find(im->file, address - im->bias, &name, &line_number, &column_number)) {
        name = NULL;
        line_number = column_number = 0;
    }
    image_unlock();
    if (column)
        *column = column_number;
    if (line)
        *line = line_number;
    if (file)
        *file = name;
}

VOID PIN_FindColumnLineFileByAddress(ADDRINT address, INT32 *column, INT32 *line, const CHAR **file)
{
    PIN_GetSourceLocation(address, column, line, file);
}

VOID PIN_FindLineFileByAddress(ADDRINT address, INT32 *line, const CHAR **file)
{
    PIN_GetSourceLocation(address, NULL, line, file);
}

const CHAR *PIN_UndecorateSymbolName(const CHAR *name, UNDECORATION style)
{
    static __thread char *last; /* A2: until the next call on the thread */
    char *plain = demangle(name, style == UNDECORATION_NAME_ONLY);
    if (!plain)
        return name;
    free(last);
    last = plain;
    return last;
}
