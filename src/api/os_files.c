/* SPDX-License-Identifier: Apache-2.0
 * OS_*: files and directories (linchpin/os_apis.h), for tools. No state; usable on any thread. */
#include "api/os_code.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

OS_RETURN_CODE OS_OpenFD(const CHAR *path, INT type, OS_FILE_PERMISSION_TYPE mode, NATIVE_FD *fd)
{
    int flags = type & OS_FILE_OPEN_TYPE_WRITE ? (type & OS_FILE_OPEN_TYPE_READ ? O_RDWR : O_WRONLY) : O_RDONLY;
    flags |= type & OS_FILE_OPEN_TYPE_APPEND ? O_APPEND : 0;
    flags |= type & OS_FILE_OPEN_TYPE_TRUNCATE ? O_TRUNC : 0;
    flags |= type & (OS_FILE_OPEN_TYPE_CREATE | OS_FILE_OPEN_TYPE_CREATE_EXCL) ? O_CREAT : 0;
    flags |= type & OS_FILE_OPEN_TYPE_CREATE_EXCL ? O_EXCL : 0;
    flags |= type & OS_FILE_OPEN_TYPE_CLOSE_ON_EXEC ? O_CLOEXEC : 0;
    int n = open(path, flags, (mode_t)mode);
    if (n >= 0)
        *fd = (NATIVE_FD)n;
    return os_code(n >= 0, OS_RETURN_CODE_FILE_OPEN_FAILED);
}

OS_RETURN_CODE OS_OpenDirFD(const CHAR *path, NATIVE_FD *fd)
{
    int n = open(path, O_RDONLY | O_DIRECTORY);
    if (n >= 0)
        *fd = (NATIVE_FD)n;
    return os_code(n >= 0, OS_RETURN_CODE_FILE_OPEN_FAILED);
}

OS_RETURN_CODE OS_WriteFD(NATIVE_FD fd, const VOID *buffer, USIZE *count)
{
    ssize_t n = write((int)fd, buffer, *count);
    *count = n < 0 ? 0 : (USIZE)n;
    return os_code(n >= 0, OS_RETURN_CODE_FILE_WRITE_FAILED);
}

OS_RETURN_CODE OS_ReadFD(NATIVE_FD fd, USIZE *count, VOID *buffer)
{
    ssize_t n = read((int)fd, buffer, *count);
    *count = n < 0 ? 0 : (USIZE)n;
    return os_code(n >= 0, OS_RETURN_CODE_FILE_READ_FAILED);
}

OS_RETURN_CODE OS_SeekFD(NATIVE_FD fd, INT whence, INT64 *offset)
{
    off_t at = lseek((int)fd, (off_t)*offset,
                     whence == OS_FILE_SEEK_SET   ? SEEK_SET
                     : whence == OS_FILE_SEEK_CUR ? SEEK_CUR
                                                  : SEEK_END);
    if (at >= 0)
        *offset = (INT64)at;
    return os_code(at >= 0, OS_RETURN_CODE_FILE_SEEK_FAILED);
}

OS_RETURN_CODE OS_CloseFD(NATIVE_FD fd) { return os_code(close((int)fd) == 0, OS_RETURN_CODE_FILE_CLOSE_FAILED); }

OS_RETURN_CODE OS_FlushFD(NATIVE_FD fd) { return os_code(fsync((int)fd) == 0, OS_RETURN_CODE_FILE_FLUSH_FAILED); }

OS_RETURN_CODE OS_DeleteFile(const CHAR *path) { return os_code(unlink(path) == 0, OS_RETURN_CODE_FILE_DELETE_FAILED); }

OS_RETURN_CODE OS_DeleteDirectory(const CHAR *path)
{
    return os_code(rmdir(path) == 0, OS_RETURN_CODE_FILE_DELETE_FAILED);
}

OS_RETURN_CODE OS_RenameFile(const CHAR *from, const CHAR *to)
{
    return os_code(rename(from, to) == 0, OS_RETURN_CODE_FILE_OPERATION_FAILED);
}

OS_RETURN_CODE OS_Ftruncate(NATIVE_FD fd, INT64 bytes)
{
    return os_code(ftruncate((int)fd, (off_t)bytes) == 0, OS_RETURN_CODE_FILE_OPERATION_FAILED);
}

OS_RETURN_CODE OS_MkDir(const CHAR *path, OS_FILE_PERMISSION_TYPE mode)
{
    BOOL ok = mkdir(path, (mode_t)mode) == 0;
    return os_code(ok, !ok && errno == EEXIST ? OS_RETURN_CODE_FILE_EXIST : OS_RETURN_CODE_FILE_OPEN_FAILED);
}

static OS_FILE_ATTRIBUTES attributes(const struct stat *st, BOOL link)
{
    int kind = S_ISREG(st->st_mode)   ? OS_FILE_ATTRIBUTES_REGULAR
               : S_ISDIR(st->st_mode) ? OS_FILE_ATTRIBUTES_DIRECTORY
                                      : 0;
    return (OS_FILE_ATTRIBUTES)(OS_FILE_ATTRIBUTES_EXIST | kind | (link ? OS_FILE_ATTRIBUTES_SYMLINK : 0));
}

OS_RETURN_CODE OS_GetFileAttributes(const CHAR *path, OS_FILE_ATTRIBUTES *attr)
{
    struct stat st, own;
    BOOL link = lstat(path, &own) == 0 && S_ISLNK(own.st_mode), ok = stat(path, &st) == 0;
    *attr = ok ? attributes(&st, link) : OS_FILE_ATTRIBUTES_NONE;
    return os_code(ok, OS_RETURN_CODE_FILE_QUERY_FAILED);
}

OS_RETURN_CODE OS_GetFDAttributes(NATIVE_FD fd, OS_FILE_ATTRIBUTES *attr)
{
    struct stat st;
    BOOL ok = fstat((int)fd, &st) == 0;
    *attr = ok ? attributes(&st, false) : OS_FILE_ATTRIBUTES_NONE;
    return os_code(ok, OS_RETURN_CODE_FILE_QUERY_FAILED);
}

OS_RETURN_CODE OS_FileSizeFD(NATIVE_FD fd, USIZE *bytes)
{
    struct stat st;
    BOOL ok = fstat((int)fd, &st) == 0;
    if (ok)
        *bytes = (USIZE)st.st_size;
    return os_code(ok, OS_RETURN_CODE_FILE_QUERY_FAILED);
}

OS_RETURN_CODE OS_FilePermissionsFD(NATIVE_FD fd, OS_FILE_PERMISSION_TYPE *mode)
{
    struct stat st;
    BOOL ok = fstat((int)fd, &st) == 0;
    if (ok)
        *mode = (OS_FILE_PERMISSION_TYPE)(st.st_mode & OS_FILE_PERMISSION_TYPE_ALL_USER);
    return os_code(ok, OS_RETURN_CODE_FILE_QUERY_FAILED);
}

OS_RETURN_CODE OS_FileUniqueID(NATIVE_FD fd, OS_FILE_UNIQUE_ID *id)
{
    struct stat st;
    BOOL ok = fstat((int)fd, &st) == 0;
    if (ok) {
        id->_reserved[0] = (UINT64)st.st_dev;
        id->_reserved[1] = (UINT64)st.st_ino;
    }
    return os_code(ok, OS_RETURN_CODE_FILE_QUERY_FAILED);
}

OS_RETURN_CODE OS_Cwd(CHAR *to, INT bytes)
{
    return os_code(getcwd(to, (size_t)bytes) != NULL, OS_RETURN_CODE_FILE_QUERY_FAILED);
}

OS_RETURN_CODE OS_Chdir(const CHAR *path, CHAR *old, INT bytes)
{
    if (old && !getcwd(old, (size_t)bytes))
        return os_code(false, OS_RETURN_CODE_FILE_QUERY_FAILED);
    return os_code(chdir(path) == 0, OS_RETURN_CODE_FILE_OPEN_FAILED);
}

OS_RETURN_CODE OS_ReadLink(const CHAR *path, CHAR *to, USIZE *bytes)
{
    ssize_t n = readlink(path, to, *bytes);
    *bytes = n < 0 ? 0 : (USIZE)n;
    return os_code(n >= 0, OS_RETURN_CODE_FILE_QUERY_FAILED);
}

/* The last part of the path need not be there. */
static BOOL real_path_of_new(const char *path, char *to)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    char folder[PATH_MAX] = ".";
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    if (n >= sizeof folder)
        return false;
    if (slash) {
        memcpy(folder, path, n);
        folder[n] = 0;
    }
    if (!realpath(folder, to) || strlen(to) + strlen(last) + 2 > PATH_MAX)
        return false;
    strcat(to, to[1] ? "/" : "");
    strcat(to, last);
    return true;
}

OS_RETURN_CODE OS_Realpath(const char *path, BOOL exists, char *to)
{
    BOOL ok = realpath(path, to) != NULL || (!exists && errno == ENOENT && real_path_of_new(path, to));
    return os_code(ok, OS_RETURN_CODE_FILE_OPERATION_FAILED);
}

OS_RETURN_CODE OS_DuplicateFD(NATIVE_FD fd, BOOL keep_close_on_exec, NATIVE_FD *to)
{
    int on_exec = fcntl((int)fd, F_GETFD),
        n = fcntl((int)fd, keep_close_on_exec && on_exec > 0 ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
    if (n >= 0)
        *to = (NATIVE_FD)n;
    return os_code(n >= 0, OS_RETURN_CODE_FILE_OPERATION_FAILED);
}

OS_RETURN_CODE OS_IsConsoleFD(NATIVE_FD fd, INT *console)
{
    *console = isatty((int)fd);
    return os_code(true, OS_RETURN_CODE_NO_ERROR);
}
