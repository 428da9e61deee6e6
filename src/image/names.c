/* SPDX-License-Identifier: Apache-2.0
 * Names of images. The kernel says where a path has led (/usr/lib/...); tools expect the path by which the loader has
 * opened the library (/lib/...), as the loader's own list and a debugger have it. Reads the guest's memory and asks for
 * files, changes neither. Under image_lock. Rule A60. */
#include "image/image.h"
#include "image/image_private.h"

#include "os/os.h"
#include "os/record.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_MAX 100000u /* a list of the loader's that seems to be longer is broken */

/* --- the kernel's name -------------------------------------------------------------------------------------------- */

static void cut_deleted(char *path)
{
    static const char tail[] = " (deleted)";
    size_t n = strlen(path);
    if (n > sizeof tail - 1 && strcmp(path + n - (sizeof tail - 1), tail) == 0)
        path[n - (sizeof tail - 1)] = 0;
}

/* By descriptor, or by looking the mapping up. */
void names_find(const struct gmap_area *a, int fd, char *path)
{
    char link[64];
    struct stat st;
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
    ssize_t n = fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == a->ino ? readlink(link, path, PATH_MAX - 1) : -1;
    path[n > 0 ? n : 0] = 0;
    if (UNLIKELY(os_record == OS_REPLAYS))
        os_record_name(a->start, path, PATH_MAX);
    else if (n <= 0)
        os_mapping_name(a->start, path, PATH_MAX);
    cut_deleted(path);
}

/* --- the loader's ------------------------------------------------------------------------------------------------- */

/* Is it an absolute path that leads to the file, and will? /proc/self/fd/3 is another file's when that is closed. */
static bool leads_to(const char *path, const struct elffile *f)
{
    struct stat st;
    return path && path[0] == '/' && strncmp(path, "/proc/", 6) != 0 && stat(path, &st) == 0 &&
           st.st_ino == f->id.ino && st.st_dev == f->id.dev;
}

static const struct image *main_image(void)
{
    const struct image *im = image_first();
    while (im && !im->main)
        im = im->next;
    return im;
}

static const GElf_Phdr *header_of(const struct image *im, u32 type)
{
    for (size_t i = 0; im && i < im->file->nphdr; i++)
        if (im->file->phdr[i].p_type == type)
            return &im->file->phdr[i];
    return NULL;
}

static bool copy(void *to, u64 from, size_t bytes)
{
    return from && os_safe_copy(to, (void *)from, bytes) == bytes;
}

/* The loader's list of what it has loaded, which the program's dynamic section leads to; 0: not there (yet). */
static u64 loader_list(const struct image *program)
{
    const GElf_Phdr *p = header_of(program, PT_DYNAMIC);
    ElfW(Dyn) d;
    struct r_debug r;
    for (u64 at = p ? p->p_vaddr + program->bias : 0; copy(&d, at, sizeof d) && d.d_tag != DT_NULL; at += sizeof d)
        if (d.d_tag == DT_DEBUG)
            return copy(&r, d.d_un.d_ptr, sizeof r) ? (u64)r.r_map : 0;
    return 0;
}

/* For what was there before the engine: the name in the loader's list. */
static bool name_in_list(const struct elffile *f, u64 bias, char name[PATH_MAX])
{
    struct link_map m;
    u64 at = loader_list(main_image());
    for (u32 i = 0; i < LIST_MAX && copy(&m, at, sizeof m); i++, at = (u64)m.l_next)
        if (m.l_addr == bias) {
            name[os_safe_copy(name, m.l_name, PATH_MAX - 1)] = 0;
            return leads_to(name, f);
        }
    return false;
}

/* The library's own name, where the folder has that for the same file. */
static bool name_of_its_own(struct elffile *f, const char *path, char name[PATH_MAX])
{
    const char *own = elffile_soname(f), *slash = strrchr(path, '/');
    if (!own || !slash || strchr(own, '/'))
        return false;
    return snprintf(name, PATH_MAX, "%.*s/%s", (int)(slash - path), path, own) < PATH_MAX && leads_to(name, f);
}

void names_as_opened(struct elffile *f, u64 bias, const char *opened, char *path)
{
    char name[PATH_MAX];
    if (leads_to(opened, f))
        snprintf(path, PATH_MAX, "%s", opened);
    else if ((!opened && name_in_list(f, bias, name)) || name_of_its_own(f, path, name))
        memcpy(path, name, strlen(name) + 1);
}

/* The kernel has opened it by the path that is in the program. */
void names_interpreter(struct image *im)
{
    char name[PATH_MAX];
    const struct image *program = main_image();
    const GElf_Phdr *p = header_of(program, PT_INTERP);
    if (!p || p->p_filesz >= sizeof name)
        return;
    name[elffile_read(program->file, p->p_vaddr, name, p->p_filesz)] = 0;
    if (leads_to(name, im->file))
        im->name = elffile_text(im->file, "%s", name);
}
