/* SPDX-License-Identifier: Apache-2.0
 * IMG and RTN of a system: the guest's kernel is an image, and its functions are routines, once it has been found
 * (symbols.c). Programs of the guest have none. A routine's handle is its number in the table of symbols. */
#include "system/system.h"

#include <string.h>

#define KERNEL 1 /* the handle of its image */

static void kernel(const char *call, u32 img, u64 *start, u64 *end)
{
    if (img != KERNEL || !symbols_kernel(start, end))
        api_misuse(call, NULL, 0, "the IMG is not valid: %u", img);
}

static u32 routine(const char *call, u32 rtn)
{
    if (!rtn || rtn > symbols_count())
        api_misuse(call, NULL, 0, "the RTN is not valid: %u", rtn);
    return rtn;
}

int IMG_Valid(u32 img) { return img == KERNEL; }
u32 IMG_Invalid(void) { return 0; }

u32 APP_ImgHead(void)
{
    u64 start, end;
    return symbols_kernel(&start, &end) ? KERNEL : 0;
}

u32 IMG_FindByAddress(u64 address)
{
    u64 start, end;
    return symbols_kernel(&start, &end) && address >= start && address < end ? KERNEL : 0;
}

u64 IMG_LowAddress(u32 img)
{
    u64 start, end;
    kernel(__func__, img, &start, &end);
    return start;
}

u64 IMG_HighAddress(u32 img)
{
    u64 start, end;
    kernel(__func__, img, &start, &end);
    return end - 1;
}

u64 IMG_LoadOffset(u32 img)
{
    u64 start, end;
    kernel(__func__, img, &start, &end);
    return symbols_distance();
}

const char *IMG_Name(u32 img)
{
    u64 start, end;
    kernel(__func__, img, &start, &end);
    return "kernel";
}

u32 IMG_Id(u32 img) { return img; }
u32 IMG_Next(u32 img) { return (void)img, 0; }
u32 IMG_Prev(u32 img) { return (void)img, 0; }
int IMG_IsMainExecutable(u32 img) { return img == KERNEL; }
/* Its sections are not known. */
u32 IMG_SecHead(u32 img) { return (void)img, 0; }
int SEC_Valid(u32 sec) { return sec != 0; }
u32 SEC_Invalid(void) { return 0; }

int RTN_Valid(u32 rtn) { return rtn && rtn <= symbols_count(); }
u32 RTN_Invalid(void) { return 0; }
u32 RTN_FindByAddress(u64 address) { return symbols_at(address); }
const char *RTN_Name(u32 rtn) { return symbols_name(routine(__func__, rtn)); }
u64 RTN_Address(u32 rtn) { return symbols_address(routine(__func__, rtn)); }
u64 RTN_Size(u32 rtn) { return symbols_bytes(routine(__func__, rtn)); }
u32 RTN_Id(u32 rtn) { return routine(__func__, rtn); }

const char *RTN_FindNameByAddress(u64 address)
{
    u32 rtn = symbols_at(address);
    return rtn ? symbols_name(rtn) : "";
}

u32 RTN_FindByName(u32 img, const char *name)
{
    return img == KERNEL ? symbols_named(name) : 0;
}

/* A kernel's names are not decorated. */
const char *PIN_UndecorateSymbolName(const char *name, int style) { return (void)style, name; }

void PIN_InitSymbols(void) {}
int PIN_InitSymbolsAlt(int mode) { return (void)mode, 1; }

/* Nothing is ever unloaded. */
void *IMG_AddUnloadFunction(void *fn, void *arg) { return (void)arg, fn; }

/* For tools that only add to what they tell by it: it is said, and they go on. */
void *IMG_AddInstrumentFunction(void *fn, void *arg)
{
    msg("IMG_AddInstrumentFunction: the guest's kernel is found while it runs, so the function is never called");
    return (void)arg, fn;
}

void PIN_GetSourceLocation(u64 address, int *column, int *line, const char **file)
{
    (void)address;
    if (column)
        *column = 0;
    if (line)
        *line = 0;
    if (file)
        *file = "";
}
