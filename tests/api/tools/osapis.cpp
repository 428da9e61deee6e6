/* SPDX-License-Identifier: Apache-2.0
 * OS_*: files, directories, memory, in a folder of its own under the working directory. Also PIN_SetSmcSupport (smc=off). Rule A54. */
#include "checks.h"

#include "os-apis.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define GOOD(call) EQUAL(OS_RETURN_CODE_IS_SUCCESS(call), true)
#define BAD(call, code) EQUAL((call).generic_err, code)

static std::string folder;

static VOID Directories()
{
    OS_FILE_ATTRIBUTES attr;
    CHAR here[4096], old[4096], real[4096];
    BAD(OS_GetFileAttributes(folder.c_str(), &attr), OS_RETURN_CODE_FILE_QUERY_FAILED);
    EQUAL(attr, OS_FILE_ATTRIBUTES_NONE);
    GOOD(OS_MkDir(folder.c_str(), OS_FILE_PERMISSION_TYPE_ALL_USER));
    OS_RETURN_CODE again = OS_MkDir(folder.c_str(), 0777);
    EQUAL(again.generic_err, OS_RETURN_CODE_FILE_EXIST);
    EQUAL(again.os_specific_err, 17);
    BAD(OS_MkDir((folder + "/none/below").c_str(), 0777), OS_RETURN_CODE_FILE_OPEN_FAILED);
    GOOD(OS_GetFileAttributes(folder.c_str(), &attr));
    EQUAL(attr, OS_FILE_ATTRIBUTES_EXIST | OS_FILE_ATTRIBUTES_DIRECTORY);
    GOOD(OS_Cwd(here, sizeof here));
    GOOD(OS_Chdir(folder.c_str(), old, sizeof old));
    EQUAL(std::string(old), std::string(here));
    GOOD(OS_Realpath("./new", false, real));
    EQUAL(std::string(real), std::string(here) + "/" + folder + "/new");
    BAD(OS_Realpath("new", true, real), OS_RETURN_CODE_FILE_OPERATION_FAILED);
    GOOD(OS_Chdir("..", 0, 0));
}

static VOID Files()
{
    NATIVE_FD fd, second;
    USIZE n = 5, bytes = 0;
    INT64 at = -3;
    CHAR text[16] = "";
    INT console = 1;
    OS_FILE_UNIQUE_ID id[2];
    OS_FILE_ATTRIBUTES attr;
    OS_FILE_PERMISSION_TYPE mode = 0;
    std::string path = folder + "/file", link = folder + "/link", other = folder + "/other";
    BAD(OS_OpenFD(path.c_str(), OS_FILE_OPEN_TYPE_READ, 0, &fd), OS_RETURN_CODE_FILE_OPEN_FAILED);
    GOOD(OS_OpenFD(path.c_str(), OS_FILE_OPEN_TYPE_READ | OS_FILE_OPEN_TYPE_WRITE | OS_FILE_OPEN_TYPE_CREATE, OS_FILE_PERMISSION_TYPE_READ | OS_FILE_PERMISSION_TYPE_WRITE, &fd));
    BAD(OS_OpenFD(path.c_str(), OS_FILE_OPEN_TYPE_WRITE | OS_FILE_OPEN_TYPE_CREATE_EXCL, 0600, &second), OS_RETURN_CODE_FILE_OPEN_FAILED);
    GOOD(OS_WriteFD(fd, "12345", &n));
    EQUAL(n, 5u);
    GOOD(OS_FlushFD(fd));
    GOOD(OS_SeekFD(fd, OS_FILE_SEEK_END, &at));
    EQUAL(at, 2);
    n = sizeof text;
    GOOD(OS_ReadFD(fd, &n, text));
    EQUAL(std::string(text, n), std::string("345"));
    GOOD(OS_Ftruncate(fd, 7));
    GOOD(OS_FileSizeFD(fd, &bytes));
    EQUAL(bytes, 7u);
    GOOD(OS_FilePermissionsFD(fd, &mode));
    EQUAL(mode, 0600);
    GOOD(OS_IsConsoleFD(fd, &console));
    EQUAL(console, 0);
    GOOD(OS_DuplicateFD(fd, true, &second));
    GOOD(OS_FileUniqueID(fd, &id[0]));
    GOOD(OS_FileUniqueID(second, &id[1]));
    EQUAL(id[0]._reserved[1], id[1]._reserved[1]);
    GOOD(OS_GetFDAttributes(second, &attr));
    EQUAL(attr, OS_FILE_ATTRIBUTES_EXIST | OS_FILE_ATTRIBUTES_REGULAR);
    GOOD(OS_CloseFD(second));
    GOOD(OS_CloseFD(fd));
    BAD(OS_CloseFD(fd), OS_RETURN_CODE_FILE_CLOSE_FAILED);
    EQUAL(symlink("file", link.c_str()), 0);
    GOOD(OS_GetFileAttributes(link.c_str(), &attr));
    EQUAL(attr, OS_FILE_ATTRIBUTES_EXIST | OS_FILE_ATTRIBUTES_REGULAR | OS_FILE_ATTRIBUTES_SYMLINK);
    n = sizeof text;
    GOOD(OS_ReadLink(link.c_str(), text, &n));
    EQUAL(std::string(text, n), std::string("file"));
    GOOD(OS_RenameFile(path.c_str(), other.c_str()));
    BAD(OS_DeleteFile(path.c_str()), OS_RETURN_CODE_FILE_DELETE_FAILED);
    GOOD(OS_DeleteFile(other.c_str()));
    GOOD(OS_DeleteFile(link.c_str()));
    GOOD(OS_OpenDirFD(folder.c_str(), &fd));
    GOOD(OS_CloseFD(fd));
    GOOD(OS_DeleteDirectory(folder.c_str()));
    BAD(OS_DeleteDirectory(folder.c_str()), OS_RETURN_CODE_FILE_DELETE_FAILED);
}

static VOID Memory()
{
    VOID *p = 0;
    USIZE page = 0;
    OS_MEMORY_AT_ADDR_INFORMATION info;
    NATIVE_PID pid = 0;
    NATIVE_TID tid = 0;
    UINT64 before = 0, after = 0;
    OS_HOST_CPU_ARCH_TYPE arch = OS_HOST_CPU_ARCH_TYPE_INVALID;
    GOOD(OS_GetPageSize(&page));
    EQUAL(page, 4096u);
    GOOD(OS_GetPid(&pid));
    EQUAL(pid, NATIVE_PID(PIN_GetPid()));
    GOOD(OS_GetTid(&tid));
    EQUAL(tid, PIN_GetTid());
    GOOD(OS_AllocateMemory(pid, OS_PAGE_PROTECTION_TYPE_READ | OS_PAGE_PROTECTION_TYPE_WRITE, 3 * page, OS_MEMORY_FLAGS_PRIVATE, &p));
    std::memset(p, 1, 3 * page);
    CHAR *middle = static_cast<CHAR *>(p) + page;
    GOOD(OS_ProtectMemory(pid, middle, page, OS_PAGE_PROTECTION_TYPE_READ));
    GOOD(OS_QueryMemory(pid, middle + 10, &info));
    EQUAL(info.BaseAddress, (VOID *)middle);
    EQUAL(info.MapSize, page);
    EQUAL(info.Protection, OS_PAGE_PROTECTION_TYPE_READ);
    EQUAL(info.Shared, 0u);
    GOOD(OS_FreeMemory(pid, p, 3 * page));
    FALSE_(PIN_CheckReadAccess(middle));
    GOOD(OS_Time(&before));
    GOOD(OS_Sleep(2));
    GOOD(OS_Time(&after));
    TRUE_(after >= before + 2000);
    GOOD(OS_Yield());
    GOOD(OS_GetHostCPUArch(&arch));
    EQUAL(arch, OS_HOST_CPU_ARCH_TYPE_IA32_INTEL64);
    CHAR release[256];
    struct utsname system;
    uname(&system);
    GOOD(OS_GetKernelRelease(release, sizeof release));
    EQUAL(std::string(release), std::string(system.release));
    EQUAL(OS_GetKernelRelease(release, 1).generic_err, OS_RETURN_CODE_BUFFER_TOO_SHORT);
}

static VOID Fini(INT32 status, VOID *) { std::printf("status %d\n", status); }

int main(int argc, char **argv)
{
    begin(argc, argv);
    if (option("smc")) {
        PIN_SetSmcSupport(std::strcmp(option("smc"), "off") ? SMC_ENABLE : SMC_DISABLE);
        PIN_AddFiniFunction(Fini, 0);
        PIN_StartProgram();
    }
    folder = "osapis." + decstr(getpid());
    Directories();
    Files();
    Memory();
    Checked("os apis", 70);
    PIN_StartProgram();
}
