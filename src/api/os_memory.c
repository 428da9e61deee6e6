/* SPDX-License-Identifier: Apache-2.0
 * OS_*: memory, threads, time (linchpin/os_apis.h), for tools. No state; usable on any thread. */
#include "api/os_code.h"
#include "base/base.h"
#include "os/hostmem.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static int protection_of(UINT type)
{
    return (type & OS_PAGE_PROTECTION_TYPE_READ ? PROT_READ : 0) |
           (type & OS_PAGE_PROTECTION_TYPE_WRITE ? PROT_WRITE : 0) |
           (type & OS_PAGE_PROTECTION_TYPE_EXECUTE ? PROT_EXEC : 0);
}

/* Where the tool asks for no address, the memory is out of the application's way. */
OS_RETURN_CODE OS_MapFileToMemory(NATIVE_PID pid, UINT protection, USIZE bytes, OS_MEMORY_FLAGS flags, NATIVE_FD fd,
                                  UINT64 offset, VOID **base)
{
    int how = (flags & OS_MEMORY_FLAGS_SHARED ? MAP_SHARED : MAP_PRIVATE) |
              (flags & OS_MEMORY_FLAGS_FIXED_ADDRESS ? MAP_FIXED : 0) |
              (flags & OS_MEMORY_FLAGS_STACK ? MAP_GROWSDOWN | MAP_STACK : 0);
    BOOL file = fd != INVALID_NATIVE_FD, anywhere = !*base && !(flags & OS_MEMORY_FLAGS_FIXED_ADDRESS);
    VOID *at = *base;
    (void)pid;
    if (anywhere) {
        at = hostmem_map(bytes, PROT_NONE);
        if (!at)
            return os_code(false, OS_RETURN_CODE_MEMORY_MAP_FAILED);
        how |= MAP_FIXED;
    }
    VOID *p = mmap(at, bytes, protection_of(protection), how | (file ? 0 : MAP_ANONYMOUS), file ? (int)fd : -1,
                   (off_t)offset);
    OS_RETURN_CODE result = os_code(p != MAP_FAILED, OS_RETURN_CODE_MEMORY_MAP_FAILED);
    if (p != MAP_FAILED)
        *base = p;
    else if (anywhere)
        hostmem_unmap(at, bytes);
    return result;
}

OS_RETURN_CODE OS_AllocateMemory(NATIVE_PID pid, UINT protection, USIZE bytes, OS_MEMORY_FLAGS flags, VOID **base)
{
    return OS_MapFileToMemory(pid, protection, bytes, flags, INVALID_NATIVE_FD, 0, base);
}

OS_RETURN_CODE OS_FreeMemory(NATIVE_PID pid, VOID *base, USIZE bytes)
{
    (void)pid;
    if (!hostmem_overlaps((u64)base, (u64)base + bytes))
        return os_code(munmap(base, bytes) == 0, OS_RETURN_CODE_MEMORY_FREE_FAILED);
    hostmem_unmap(base, bytes);
    return os_code(true, OS_RETURN_CODE_NO_ERROR);
}

OS_RETURN_CODE OS_ProtectMemory(NATIVE_PID pid, VOID *base, USIZE bytes, UINT protection)
{
    (void)pid;
    return os_code(mprotect(base, bytes, protection_of(protection)) == 0, OS_RETURN_CODE_MEMORY_PROTECT_FAILED);
}

OS_RETURN_CODE OS_GetPageSize(USIZE *bytes)
{
    *bytes = (USIZE)sysconf(_SC_PAGESIZE);
    return os_code(true, OS_RETURN_CODE_NO_ERROR);
}

OS_RETURN_CODE OS_QueryMemory(NATIVE_PID pid, VOID *address, OS_MEMORY_AT_ADDR_INFORMATION *info)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long start, end;
    char mode[5], line[PATH_MAX + 128];
    (void)pid;
    memset(info, 0, sizeof *info);
    if (!maps)
        return os_code(false, OS_RETURN_CODE_QUERY_FAILED);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) == 3 && end > (unsigned long)address) {
            info->BaseAddress = (VOID *)start;
            info->MapSize = (USIZE)(end - start);
            info->Shared = mode[3] == 's';
            info->Protection = (OS_PAGE_PROTECTION_TYPE)((mode[0] == 'r' ? OS_PAGE_PROTECTION_TYPE_READ : 0) |
                                                         (mode[1] == 'w' ? OS_PAGE_PROTECTION_TYPE_WRITE : 0) |
                                                         (mode[2] == 'x' ? OS_PAGE_PROTECTION_TYPE_EXECUTE : 0));
            break;
        }
    fclose(maps);
    return os_code(true, OS_RETURN_CODE_NO_ERROR);
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

OS_RETURN_CODE OS_GetHostCPUArch(OS_HOST_CPU_ARCH_TYPE *arch)
{
    *arch = OS_HOST_CPU_ARCH_TYPE_IA32_INTEL64;
    return os_code(true, OS_RETURN_CODE_NO_ERROR);
}

OS_RETURN_CODE OS_GetPid(NATIVE_PID *pid)
{
    *pid = (NATIVE_PID)getpid();
    return os_code(true, OS_RETURN_CODE_NO_ERROR);
}

OS_RETURN_CODE OS_GetTid(NATIVE_TID *tid)
{
    *tid = (NATIVE_TID)gettid();
    return os_code(true, OS_RETURN_CODE_NO_ERROR);
}

OS_RETURN_CODE OS_Yield(void) { return os_code(sched_yield() == 0, OS_RETURN_CODE_THREAD_SLEEP_FAILED); }

OS_RETURN_CODE OS_Sleep(INT milliseconds)
{
    struct timespec left;
    left.tv_sec = milliseconds / 1000;
    left.tv_nsec = milliseconds % 1000 * 1000000l;
    int r;
    do
        r = nanosleep(&left, &left);
    while (r && errno == EINTR);
    return os_code(r == 0, OS_RETURN_CODE_THREAD_SLEEP_FAILED);
}

OS_RETURN_CODE OS_Time(UINT64 *now)
{
    struct timeval t;
    BOOL ok = gettimeofday(&t, NULL) == 0;
    if (ok)
        *now = (UINT64)t.tv_sec * 1000000u + (UINT64)t.tv_usec;
    return os_code(ok, OS_RETURN_CODE_TIME_QUERY_FAILED);
}

OS_RETURN_CODE OS_GetKernelRelease(CHAR *to, USIZE bytes)
{
    struct utsname u;
    if (uname(&u))
        return os_code(false, OS_RETURN_CODE_QUERY_FAILED);
    if (strlen(u.release) >= bytes)
        return os_code(false, OS_RETURN_CODE_BUFFER_TOO_SHORT);
    strcpy(to, u.release);
    return os_code(true, OS_RETURN_CODE_NO_ERROR);
}
