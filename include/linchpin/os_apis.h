/* SPDX-License-Identifier: Apache-2.0
 * OS_*: files, directories, memory and small questions to the system, as Pin's kit offers them to tools beside its API. The process of all of them is the tool's own;
 * `os_specific_err` is errno. */
#ifndef LINCHPIN_OS_APIS_H
#define LINCHPIN_OS_APIS_H
#include "types.h"

LP_BEGIN
#ifdef __cplusplus
extern "C" {
#endif

typedef enum OS_RETURN_CODE_GENERIC {
    OS_RETURN_CODE_NO_ERROR = 0,
    OS_RETURN_CODE_INVALID_ARGS,
    OS_RETURN_CODE_MEMORY_MAP_FAILED,
    OS_RETURN_CODE_MEMORY_FREE_FAILED,
    OS_RETURN_CODE_QUERY_FAILED,
    OS_RETURN_CODE_FLUSH_ICACHE_FAILED,
    OS_RETURN_CODE_MEMORY_PROTECT_FAILED,
    OS_RETURN_CODE_MEMORY_INFO_FAILED,
    OS_RETURN_CODE_FILE_OPERATION_FAILED,
    OS_RETURN_CODE_FILE_OPEN_FAILED,
    OS_RETURN_CODE_FILE_WRITE_FAILED,
    OS_RETURN_CODE_FILE_READ_FAILED,
    OS_RETURN_CODE_FILE_SEEK_FAILED,
    OS_RETURN_CODE_FILE_CLOSE_FAILED,
    OS_RETURN_CODE_FILE_DELETE_FAILED,
    OS_RETURN_CODE_FILE_FLUSH_FAILED,
    OS_RETURN_CODE_FILE_QUERY_FAILED,
    OS_RETURN_CODE_THREAD_SLEEP_FAILED,
    OS_RETURN_CODE_THREAD_QUERY_FAILED,
    OS_RETURN_CODE_PROCESS_QUERY_FAILED,
    OS_RETURN_CODE_TIME_QUERY_FAILED,
    OS_RETURN_CODE_BUFFER_TOO_SHORT,
    OS_RETURN_CODE_FILE_EXIST,
    OS_RETURN_CODE_NO_MEMORY
} OS_RETURN_CODE_GENERIC;

typedef struct OS_RETURN_CODE {
    OS_RETURN_CODE_GENERIC generic_err;
    int os_specific_err;
} OS_RETURN_CODE;

#define OS_RETURN_CODE_IS_SUCCESS(r) ((r).generic_err == OS_RETURN_CODE_NO_ERROR)

typedef LP_ADDRESS NATIVE_FD;
#define INVALID_NATIVE_FD (~(NATIVE_FD)0)

/* --- files ---------------------------------------------------------------------------------------------------------------------------------- */

typedef enum OS_FILE_OPEN_TYPE {
    OS_FILE_OPEN_TYPE_READ = 1, OS_FILE_OPEN_TYPE_WRITE = 2, OS_FILE_OPEN_TYPE_EXECUTE = 4, OS_FILE_OPEN_TYPE_APPEND = 8, OS_FILE_OPEN_TYPE_TRUNCATE = 16,
    OS_FILE_OPEN_TYPE_CREATE = 32, OS_FILE_OPEN_TYPE_CREATE_EXCL = 64, OS_FILE_OPEN_TYPE_DELETE = 128, OS_FILE_OPEN_TYPE_CLOSE_ON_EXEC = 256
} OS_FILE_OPEN_TYPE;

enum OS_FILE_PERMISSION {
    OS_FILE_PERMISSION_TYPE_EXECUTE_OTHERS = 01, OS_FILE_PERMISSION_TYPE_WRITE_OTHERS = 02, OS_FILE_PERMISSION_TYPE_READ_OTHERS = 04, OS_FILE_PERMISSION_TYPE_ALL_OTHERS = 07,
    OS_FILE_PERMISSION_TYPE_EXECUTE_GROUP = 010, OS_FILE_PERMISSION_TYPE_WRITE_GROUP = 020, OS_FILE_PERMISSION_TYPE_READ_GROUP = 040, OS_FILE_PERMISSION_TYPE_ALL_GROUP = 070,
    OS_FILE_PERMISSION_TYPE_EXECUTE_USER = 0100, OS_FILE_PERMISSION_TYPE_WRITE_USER = 0200, OS_FILE_PERMISSION_TYPE_READ_USER = 0400, OS_FILE_PERMISSION_TYPE_ALL_USER = 0700,
    OS_FILE_PERMISSION_TYPE_EXECUTE = 0100, OS_FILE_PERMISSION_TYPE_WRITE = 0200, OS_FILE_PERMISSION_TYPE_READ = 0400 /* earlier names */
};
typedef INT OS_FILE_PERMISSION_TYPE;

typedef enum OS_FILE_SEEK_TYPE { OS_FILE_SEEK_SET = 0, OS_FILE_SEEK_CUR = 1, OS_FILE_SEEK_END = 2 } OS_FILE_SEEK_TYPE;

typedef enum OS_FILE_ATTRIBUTES {
    OS_FILE_ATTRIBUTES_NONE = 0, OS_FILE_ATTRIBUTES_EXIST = 1, OS_FILE_ATTRIBUTES_REGULAR = 2, OS_FILE_ATTRIBUTES_DIRECTORY = 4, OS_FILE_ATTRIBUTES_SYMLINK = 8
} OS_FILE_ATTRIBUTES;

typedef struct OS_FILE_UNIQUE_ID { UINT64 _reserved[2]; } OS_FILE_UNIQUE_ID;

OS_RETURN_CODE OS_OpenFD(const CHAR *path, INT type, OS_FILE_PERMISSION_TYPE mode, NATIVE_FD *fd);
OS_RETURN_CODE OS_OpenDirFD(const CHAR *path, NATIVE_FD *fd);
/* *count: what is wanted, then what was done. */
OS_RETURN_CODE OS_WriteFD(NATIVE_FD fd, const VOID *buffer, USIZE *count);
OS_RETURN_CODE OS_ReadFD(NATIVE_FD fd, USIZE *count, VOID *buffer);
/* *offset: by how much, then where from the start. */
OS_RETURN_CODE OS_SeekFD(NATIVE_FD fd, INT whence, INT64 *offset);
OS_RETURN_CODE OS_CloseFD(NATIVE_FD fd);
OS_RETURN_CODE OS_FlushFD(NATIVE_FD fd);
OS_RETURN_CODE OS_DeleteFile(const CHAR *path);
OS_RETURN_CODE OS_DeleteDirectory(const CHAR *path);
OS_RETURN_CODE OS_RenameFile(const CHAR *from, const CHAR *to);
OS_RETURN_CODE OS_Ftruncate(NATIVE_FD fd, INT64 bytes);
OS_RETURN_CODE OS_MkDir(const CHAR *path, OS_FILE_PERMISSION_TYPE mode);
/* What a link leads to, and that it is one. OS_FILE_ATTRIBUTES_NONE where there is nothing. */
OS_RETURN_CODE OS_GetFileAttributes(const CHAR *path, OS_FILE_ATTRIBUTES *attr);
OS_RETURN_CODE OS_GetFDAttributes(NATIVE_FD fd, OS_FILE_ATTRIBUTES *attr);
OS_RETURN_CODE OS_FileSizeFD(NATIVE_FD fd, USIZE *bytes);
OS_RETURN_CODE OS_FilePermissionsFD(NATIVE_FD fd, OS_FILE_PERMISSION_TYPE *mode);
OS_RETURN_CODE OS_FileUniqueID(NATIVE_FD fd, OS_FILE_UNIQUE_ID *id);
OS_RETURN_CODE OS_Cwd(CHAR *to, INT bytes);
/* old: where the former directory is written to, NULL: nowhere. */
OS_RETURN_CODE OS_Chdir(const CHAR *path, CHAR *old, INT bytes);
OS_RETURN_CODE OS_ReadLink(const CHAR *path, CHAR *to, USIZE *bytes);
/* to: PATH_MAX bytes. Without `exists` the last part of the path need not be there. */
OS_RETURN_CODE OS_Realpath(const char *path, BOOL exists, char *to);
OS_RETURN_CODE OS_DuplicateFD(NATIVE_FD fd, BOOL keep_close_on_exec, NATIVE_FD *to);
OS_RETURN_CODE OS_IsConsoleFD(NATIVE_FD fd, INT *console);

/* --- memory ---------------------------------------------------------------------------------------------------------------------------------- */

typedef enum OS_PAGE_PROTECTION_TYPE {
    OS_PAGE_PROTECTION_TYPE_NOACCESS = 0, OS_PAGE_PROTECTION_TYPE_READ = 1, OS_PAGE_PROTECTION_TYPE_WRITE = 2, OS_PAGE_PROTECTION_TYPE_EXECUTE = 4, OS_PAGE_PROTECTION_TYPE_GUARD = 8
} OS_PAGE_PROTECTION_TYPE;

typedef enum OS_MEMORY_FLAGS { OS_MEMORY_FLAGS_PRIVATE = 0, OS_MEMORY_FLAGS_FIXED_ADDRESS = 1, OS_MEMORY_FLAGS_STACK = 2, OS_MEMORY_FLAGS_SHARED = 8 } OS_MEMORY_FLAGS;

typedef struct OS_MEMORY_AT_ADDR_INFORMATION {
    VOID *BaseAddress;
    USIZE MapSize;
    UINT Shared;
    OS_PAGE_PROTECTION_TYPE Protection;
    UINT Type;
} OS_MEMORY_AT_ADDR_INFORMATION;

/* *base: where it is wanted, NULL: anywhere; then where it is. */
OS_RETURN_CODE OS_MapFileToMemory(NATIVE_PID pid, UINT protection, USIZE bytes, OS_MEMORY_FLAGS flags, NATIVE_FD fd, UINT64 offset, VOID **base);
OS_RETURN_CODE OS_AllocateMemory(NATIVE_PID pid, UINT protection, USIZE bytes, OS_MEMORY_FLAGS flags, VOID **base);
OS_RETURN_CODE OS_FreeMemory(NATIVE_PID pid, VOID *base, USIZE bytes);
OS_RETURN_CODE OS_ProtectMemory(NATIVE_PID pid, VOID *base, USIZE bytes, UINT protection);
OS_RETURN_CODE OS_GetPageSize(USIZE *bytes);
/* The mapping that has the address, or the next one behind it; all zero if there is none. */
OS_RETURN_CODE OS_QueryMemory(NATIVE_PID pid, VOID *address, OS_MEMORY_AT_ADDR_INFORMATION *info);

/* --- the rest ---------------------------------------------------------------------------------------------------------------------------------- */

typedef enum OS_HOST_CPU_ARCH_TYPE { OS_HOST_CPU_ARCH_TYPE_INVALID = 0, OS_HOST_CPU_ARCH_TYPE_IA32 = 1, OS_HOST_CPU_ARCH_TYPE_IA32_INTEL64 = 2 } OS_HOST_CPU_ARCH_TYPE;

OS_RETURN_CODE OS_GetHostCPUArch(OS_HOST_CPU_ARCH_TYPE *arch);
OS_RETURN_CODE OS_GetPid(NATIVE_PID *pid);
OS_RETURN_CODE OS_GetTid(NATIVE_TID *tid);
OS_RETURN_CODE OS_Yield(void);
OS_RETURN_CODE OS_Sleep(INT milliseconds);
/* In microseconds since 1970. */
OS_RETURN_CODE OS_Time(UINT64 *now);
/* As uname -r says it. */
OS_RETURN_CODE OS_GetKernelRelease(CHAR *to, USIZE bytes);

#ifdef __cplusplus
}
#endif
LP_END
#endif
