/* SPDX-License-Identifier: Apache-2.0
 * IMG_ and APP_: images as tools see them. Everything is in src/image; here handles become objects and back, under
 * image_lock. */
#include "opt/objects.h"
#include "api/callback_list.h"
#include "image/image.h"
#include "linchpin/api_text.h"

#include <string.h>

#define NOTE_PROPERTY 5u             /* NT_GNU_PROPERTY_TYPE_0 */
#define PROPERTY_X86_FEATURES 0xc0000002u
#define FEATURE_IBT 1u
#define FEATURE_SHSTK 2u

static IMG handle(const struct image *im)
{
    return (IMG){im ? (INT32)im->id : 0};
}

/* The image of a handle, with image_lock taken. */
static struct image *take(const char *call, IMG img)
{
    image_lock();
    struct image *im = image_get((u32)img.index);
    if (!im)
        api_misuse(call, NULL, 0, img.index ? "image %d is not loaded (any more)" : "the image is not valid (%d)",
                   img.index);
    return im;
}

#define GETTER(type, name, im, value) \
    type name(IMG img) \
    { \
        struct image *im = take(#name, img); \
        type result = (value); \
        image_unlock(); \
        return result; \
    }

static bool has_segment(const struct image *im, u32 type)
{
    for (size_t i = 0; i < im->file->nphdr; i++)
        if (im->file->phdr[i].p_type == type)
            return true;
    return false;
}

static bool is_static(const struct image *im)
{
    return im->main && im->file->head.e_type != ET_REL && !has_segment(im, PT_INTERP) &&
           !(im->opened && has_segment(im, PT_DYNAMIC));
}

static IMG_TYPE type_of(const struct image *im)
{
    if (im->file->head.e_type == ET_REL)
        return IMG_TYPE_RELOCATABLE;
    if (is_static(im))
        return IMG_TYPE_STATIC;
    return im->main && has_segment(im, PT_INTERP) ? IMG_TYPE_SHARED : IMG_TYPE_SHAREDLIB;
}

static u64 entry_of(const struct image *im)
{
    return im->file->head.e_entry ? im->file->head.e_entry + im->bias : 0;
}

static VOID *dynamic_of(const struct image *im)
{
    const struct elffile *f = im->file;
    for (size_t i = 0; i < f->nphdr; i++)
        if (f->phdr[i].p_type == PT_DYNAMIC)
            return im->opened ? (VOID *)(f->data + f->phdr[i].p_offset) : (VOID *)(f->phdr[i].p_vaddr + im->bias);
    return NULL;
}

static u32 secs_tail(struct image *im)
{
    return image_secs(im) ? im->first_sec + im->nsecs - 1 : 0;
}

GETTER(const CHAR *, IMG_Name, im, im->name)
GETTER(UINT32, IMG_Id, im, im->id)
GETTER(ADDRINT, IMG_LowAddress, im, im->low)
GETTER(ADDRINT, IMG_StartAddress, im, im->low)
GETTER(ADDRINT, IMG_LoadOffset, im, im->bias)
GETTER(USIZE, IMG_SizeMapped, im, im->high - im->low)
GETTER(ADDRINT, IMG_Entry, im, entry_of(im))
GETTER(ADDRINT, IMG_EntryAddress, im, entry_of(im))
GETTER(ADDRINT, IMG_Gp, im, im->low & 0) /* a notion of other processors */
GETTER(IMG_TYPE, IMG_Type, im, type_of(im))
GETTER(BOOL, IMG_IsMainExecutable, im, im->main)
GETTER(BOOL, IMG_IsStaticExecutable, im, is_static(im))
GETTER(BOOL, IMG_IsInterpreter, im, im->interpreter)
GETTER(BOOL, IMG_IsVDSO, im, im->vdso)
GETTER(BOOL, IMG_hasLinesData, im, lines_any(im->file))
GETTER(VOID *, IMG_DynamicRawData, im, dynamic_of(im))
GETTER(IMG, IMG_Next, im, handle(im->next))
GETTER(IMG, IMG_Prev, im, handle(im->prev))
static GETTER(SEC, sec_head, im, (SEC){(INT32)image_secs(im)})
GETTER(SEC, IMG_SecTail, im, (SEC){(INT32)secs_tail(im)})
GETTER(SYM, IMG_RegsymHead, im, (SYM){(INT32)image_syms(im)})

/* The invalid image has no sections: tools walk the sections of what IMG_FindByAddress returns without checking it. */
SEC IMG_SecHead(IMG img) { return img.index ? sec_head(img) : (SEC){0}; }

/* --- finding ------------------------------------------------------------------------------------------------------ */

IMG IMG_Invalid(void)
{
    return (IMG){0};
}

BOOL IMG_Valid(IMG img)
{
    image_lock();
    bool valid = image_get((u32)img.index) != NULL;
    image_unlock();
    return valid;
}

IMG APP_ImgHead(void)
{
    image_lock();
    IMG img = handle(image_first());
    image_unlock();
    return img;
}

IMG APP_ImgTail(void)
{
    image_lock();
    IMG img = handle(image_last());
    image_unlock();
    return img;
}

IMG IMG_FindByAddress(ADDRINT address)
{
    image_lock();
    IMG img = handle(image_find(address));
    image_unlock();
    return img;
}

IMG IMG_FindImgById(UINT32 id)
{
    image_lock();
    IMG img = handle(image_get(id));
    image_unlock();
    return img;
}

/* --- regions: the segments, neighbours joined --------------------------------------------------------------------- */

struct region {
    u64 low, high;
};

/* The nth region, or the number of regions when there are fewer. */
static u32 find_region(const struct image *im, u32 n, struct region *out)
{
    u32 count = 0;
    const struct elffile *f = im->file;
    for (size_t i = 0; i < f->nphdr; i++) {
        const GElf_Phdr *p = &f->phdr[i];
        if (p->p_type != PT_LOAD || !p->p_memsz)
            continue;
        u64 low = p->p_vaddr + im->bias, high = low + p->p_memsz;
        bool joins = count && PAGE_DOWN(low) <= PAGE_UP(out->high);
        if (!joins && count++ == n + 1)
            return n + 1;
        *out = (struct region){joins ? out->low : low, high};
    }
    return count;
}

/* Of an image in several regions that of its first one: between them there may be other images, and tools take what is
 * between low and high for the image's. */
ADDRINT IMG_HighAddress(IMG img)
{
    struct region r = {0, 0};
    struct image *im = take(__func__, img);
    bool split = im->high && find_region(im, 0, &r) && find_region(im, 1, &(struct region){0, 0}) > 1;
    u64 high = split ? r.high : im->high;
    image_unlock();
    return high ? high - 1 : 0;
}

UINT32 IMG_NumRegions(IMG img)
{
    struct region r;
    struct image *im = take(__func__, img);
    u32 n = find_region(im, ~0u - 1, &r);
    image_unlock();
    return n;
}

static struct region region(const char *call, IMG img, UINT32 n)
{
    struct region r = {0, 0};
    struct image *im = take(call, img);
    u32 have = find_region(im, n, &r);
    if (have <= n)
        api_misuse(call, NULL, 0, "region %u asked for, but %s has %u", n, im->name, have);
    image_unlock();
    return r;
}

ADDRINT IMG_RegionLowAddress(IMG img, UINT32 n)
{
    return region(__func__, img, n).low;
}

ADDRINT IMG_RegionHighAddress(IMG img, UINT32 n)
{
    return region(__func__, img, n).high - 1;
}

/* --- properties --------------------------------------------------------------------------------------------------- */

static u32 features_in_note(const u8 *p, size_t bytes)
{
    u32 head[2], features = 0; /* type and size, then the data padded to 8 */
    while (bytes >= sizeof head) {
        memcpy(head, p, sizeof head);
        size_t step = sizeof head + ((head[1] + 7ul) & ~7ul);
        if (step > bytes)
            break;
        if (head[0] == PROPERTY_X86_FEATURES && head[1] == 4)
            memcpy(&features, p + sizeof head, 4);
        p += step;
        bytes -= step;
    }
    return features;
}

static u32 features_of(struct elffile *f)
{
    const struct section *s = elffile_section(f, ".note.gnu.property");
    Elf_Data *d = s && s->index ? elf_getdata(elf_getscn(f->elf, s->index), NULL) : NULL;
    GElf_Nhdr n;
    size_t name, desc;
    for (size_t off = 0; d && (off = gelf_getnote(d, off, &n, &name, &desc)) > 0;)
        if (n.n_type == NOTE_PROPERTY && n.n_namesz == 4 && memcmp((char *)d->d_buf + name, "GNU", 4) == 0)
            return features_in_note((const u8 *)d->d_buf + desc, n.n_descsz);
    return 0;
}

BOOL IMG_HasProperty(IMG img, IMG_PROPERTY property)
{
    struct image *im = take(__func__, img);
    u32 want = property == IMG_PROPERTY_SHSTK_ENABLED ? FEATURE_SHSTK
               : property == IMG_PROPERTY_IBT_ENABLED ? FEATURE_IBT
                                                      : 0;
    bool has = features_of(im->file) & want;
    image_unlock();
    return has;
}

/* --- files, callbacks --------------------------------------------------------------------------------------------- */

IMG IMG_Open(const CHAR *path)
{
    image_lock();
    IMG img = handle(image_open_file(path));
    image_unlock();
    return img;
}

VOID IMG_Close(IMG img)
{
    struct image *im = take(__func__, img);
    if (!im->opened)
        api_misuse(__func__, NULL, 0, "%s was not opened by IMG_Open", im->name);
    image_close_file(im);
    image_unlock();
}

PIN_CALLBACK IMG_AddInstrumentFunction(IMAGECALLBACK fun, VOID *v)
{
    return (PIN_CALLBACK)tool_callback_add(&image_load_callbacks, (void *)fun, v);
}

PIN_CALLBACK IMG_AddUnloadFunction(IMAGECALLBACK fun, VOID *v)
{
    return (PIN_CALLBACK)tool_callback_add(&image_unload_callbacks, (void *)fun, v);
}
