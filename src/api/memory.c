/* SPDX-License-Identifier: Apache-2.0
 * Access to the application's memory: copies that do not fault, what may be read and written, code as the translator
 * fetches it. Usable on any thread. */
#include "api/exceptions.h"
#include "opt/objects.h"
#include "opt/events.h"
#include "arch/arch.h"
#include "linchpin/callbacks.h"
#include "os/gmap.h"
#include "os/hostmem.h"
#include "os/os.h"
#include "os/thread.h"


/* --- copies ------------------------------------------------------------------------------------------------------- */

static size_t copy(void *dst, const void *src, size_t bytes)
{
    return LIKELY(!vm_tc.os.faults_blocked) ? os_safe_copy(dst, src, bytes) : os_copy_quietly(dst, src, bytes);
}

size_t PIN_SafeCopy(VOID *dst, const VOID *src, size_t bytes) { return copy(dst, src, bytes); }

static u32 access_code(const EXCEPTION_INFO *info) { return PIN_GetExceptionClass((EXCEPTION_CODE)info->code); }

/* Where the page fault's own address is not known (a general protection fault, a hole at the end of the address space)
 * it is that of the first byte not copied, of the side that cannot be accessed. */
static void copy_exception(EXCEPTION_INFO *info, const u8 *dst, const u8 *src)
{
    exception_from_fault(info, &vm_tc.os.copy_fault, 0);
    if (info->has_access_address || access_code(info) != EXCEPTCLASS_ACCESS_FAULT)
        return;
    u8 byte;
    bool read = copy(&byte, src, 1) == 0;
    PIN_InitAccessFaultInfo(info, EXCEPTCODE_ACCESS_INVALID_ADDRESS, 0, (ADDRINT)(read ? src : dst),
                            read ? FAULTY_ACCESS_READ : FAULTY_ACCESS_WRITE);
}

size_t PIN_SafeCopyEx(VOID *dst, const VOID *src, size_t bytes, EXCEPTION_INFO *info)
{
    size_t n = copy(dst, src, bytes);
    if (n < bytes && info)
        copy_exception(info, (u8 *)dst + n, (const u8 *)src + n);
    return n;
}

/* --- protection --------------------------------------------------------------------------------------------------- */

/* The application's pages have the protection that it believes in, whatever the engine has made of it. */
static BOOL accessible(const VOID *addr, bool write)
{
    struct gmap_area area;
    u8 byte;
    if (!hostmem_overlaps((u64)addr, (u64)addr + 1) && gmap_find((u64)addr, &area))
        return write ? area.flags & GMAP_WRITE : area.flags & (GMAP_READ | GMAP_WRITE | GMAP_EXEC);
    return write ? os_writable((u64)addr) : copy(&byte, addr, 1) == 1;
}

BOOL PIN_CheckReadAccess(VOID *addr) { return accessible(addr, false); }
BOOL PIN_CheckWriteAccess(VOID *addr) { return accessible(addr, true); }

/* --- code --------------------------------------------------------------------------------------------------------- */

typedef size_t fetch_fn(void *, ADDRINT, size_t, EXCEPTION_INFO *, void *);

static fetch_fn *fetch_function;
static void *fetch_arg;

/* For the translator, which does not need the exception: it is found again when the guest gets there. */
static size_t tool_fetch(void *to, u64 addr, size_t bytes)
{
    EXCEPTION_INFO info;
    PIN_InitExceptionInfo(&info, EXCEPTCODE_NONE, 0);
    size_t n = fetch_function(to, addr, bytes, &info, fetch_arg);
    return n < bytes ? n : bytes;
}

VOID PIN_AddFetchFunction(fetch_fn *fun, VOID *v)
{
    if (fetch_function)
        api_misuse(__func__, NULL, 0, "there is a fetch function already");
    fetch_arg = v;
    fetch_function = fun;
    opt_events.fetch = tool_fetch;
}

size_t PIN_FetchCode(void *to, const VOID *address, size_t bytes, EXCEPTION_INFO *info)
{
    EXCEPTION_INFO own;
    if (!fetch_function)
        return PIN_SafeCopyEx(to, address, bytes, info);
    PIN_InitExceptionInfo(&own, EXCEPTCODE_NONE, 0);
    size_t n = fetch_function(to, (ADDRINT)address, bytes, &own, fetch_arg);
    if (n < bytes && info)
        *info = own;
    return n;
}

/* --- addresses of the tool's own ---------------------------------------------------------------------------------- */

static MEMORY_ADDR_TRANS_CALLBACK translation;
static void *translation_arg;

static u64 translate(u64 address, size_t bytes, gpc_t pc, bool write, u32 flags)
{
    PIN_MEM_TRANS_INFO info = {.addr = address, .bytes = (USIZE)bytes, .ip = pc,
        .memOpType = write ? PIN_MEMOP_STORE : PIN_MEMOP_LOAD, .threadIndex = vm_tc.id};
    info.flags.bits.isFromPin = flags & TRANSLATE_ENGINE;
    info.flags.bits.isAtomic = (flags & TRANSLATE_ATOMIC) != 0;
    info.flags.bits.isPrefetch = (flags & TRANSLATE_PREFETCH) != 0;
    info.flags.bits.isRmw = (flags & TRANSLATE_RMW) != 0;
    u64 to = translation(&info, translation_arg);
    return arch_narrow_tool ? (u32)to : to;
}

VOID PIN_AddMemoryAddressTransFunction(MEMORY_ADDR_TRANS_CALLBACK fun, VOID *v)
{
    if (translation)
        api_misuse(__func__, NULL, 0, "there is a function for addresses already");
    translation_arg = v;
    translation = fun;
    opt_events.translate = translate;
}

MEMORY_ADDR_TRANS_CALLBACK PIN_GetMemoryAddressTransFunction(void) { return translation; }
