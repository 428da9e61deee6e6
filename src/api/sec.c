/* SPDX-License-Identifier: Apache-2.0
 * SEC_: sections of an image, in the order of the section headers. Under image_lock. */
#include "opt/objects.h"
#include "image/image.h"
#include "linchpin/api_text.h"

#include <string.h>

/* The section of a handle, with image_lock taken. */
static const struct section *take(const char *call, SEC sec, struct image **im)
{
    image_lock();
    const struct section *s = sec_get((u32)sec.index, im);
    if (!s)
        api_misuse(call, NULL, 0,
                   sec.index ? "section %d is of an image that is not loaded any more"
                             : "the section is not valid (%d)",
                   sec.index);
    return s;
}

#define GETTER(type, name, s, im, value) \
    type name(SEC sec) \
    { \
        struct image *im; \
        const struct section *s = take(#name, sec, &im); \
        type result = (value); \
        image_unlock(); \
        return result; \
    }

static SEC_TYPE type_of(const struct section *s)
{
    static const struct {
        const char *prefix;
        SEC_TYPE type;
    } by_name[] = {
        {".gcc_except_table", SEC_TYPE_LSDA}, {".eh_frame", SEC_TYPE_EH_FRAME}, {".debug", SEC_TYPE_DEBUG},
        {".zdebug", SEC_TYPE_DEBUG},          {".gnu_debug", SEC_TYPE_DEBUG},   {".comment", SEC_TYPE_COMMENT},
        {".note.GNU-stack", SEC_TYPE_STACK},  {".interp", SEC_TYPE_LOADER},
    };
    for (size_t i = 0; i < ARRAY_LEN(by_name); i++)
        if (strncmp(s->name, by_name[i].prefix, strlen(by_name[i].prefix)) == 0)
            return by_name[i].type;
    switch (s->type) {
    case SHT_NOBITS: return SEC_TYPE_BSS;
    case SHT_DYNAMIC: return SEC_TYPE_DYNAMIC;
    case SHT_DYNSYM: return SEC_TYPE_DYNSYM;
    case SHT_SYMTAB: return SEC_TYPE_SYMTAB;
    case SHT_STRTAB: return s->flags & SHF_ALLOC ? SEC_TYPE_DYNSTR : SEC_TYPE_UNUSED;
    case SHT_RELA: case SHT_REL: return s->flags & SHF_ALLOC ? SEC_TYPE_DYNREL : SEC_TYPE_REGREL;
    case SHT_HASH: case SHT_GNU_HASH: return SEC_TYPE_HASH;
    case SHT_GNU_verdef: return SEC_TYPE_VER_DEF;
    case SHT_GNU_verneed: return SEC_TYPE_VER_NEED;
    case SHT_GNU_versym: return SEC_TYPE_VER_SYM;
    case 19: return SEC_TYPE_RELR; /* SHT_RELR */
    }
    if (s->type >= SHT_LOPROC && s->type <= SHT_HIPROC)
        return SEC_TYPE_PROCESSOR;
    return s->flags & SHF_EXECINSTR ? SEC_TYPE_EXEC : s->flags & SHF_ALLOC ? SEC_TYPE_DATA : SEC_TYPE_UNUSED;
}

static u32 index_of(const struct section *s, const struct image *im)
{
    return (u32)(s - im->file->section);
}

static SEC at_index(const struct image *im, u32 i)
{
    return (SEC){i < im->nsecs ? (INT32)(im->first_sec + i) : 0};
}

static IMG image_of(const struct section *s, const struct image *im)
{
    (void)s;
    return (IMG){(INT32)im->id};
}

static bool is_code(const struct section *s)
{
    return (s->flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR);
}

static RTN rtn_head(const struct section *s, struct image *im)
{
    struct rtn *r = is_code(s) ? rtn_from(im, s->addr + im->bias) : NULL;
    return (RTN){r && r->section == index_of(s, im) ? (INT32)r->id : 0};
}

static RTN rtn_tail(const struct section *s, struct image *im)
{
    if (!is_code(s) || !image_rtns(im))
        return (RTN){0};
    struct rtn *next = rtn_from(im, s->addr + s->bytes + im->bias);
    u32 pos = next ? next->pos : im->nrtns;
    return (RTN){pos && im->rtn[pos - 1]->section == index_of(s, im) ? (INT32)im->rtn[pos - 1]->id : 0};
}

GETTER(const CHAR *, SEC_Name, s, im, s->name)
GETTER(IMG, SEC_Img, s, im, image_of(s, im))
GETTER(ADDRINT, SEC_Address, s, im, s->flags & SHF_ALLOC ? s->addr + im->bias : 0)
GETTER(USIZE, SEC_Size, s, im, s->bytes)
GETTER(SEC_TYPE, SEC_Type, s, im, type_of(s))
GETTER(const VOID *, SEC_Data, s, im, elffile_bytes(im->file, s))
GETTER(BOOL, SEC_Mapped, s, im, (s->flags & SHF_ALLOC) != 0)
GETTER(BOOL, SEC_IsReadable, s, im, (s->flags & SHF_ALLOC) != 0)
GETTER(BOOL, SEC_IsWriteable, s, im, (s->flags & SHF_WRITE) != 0)
GETTER(BOOL, SEC_IsExecutable, s, im, (s->flags & SHF_EXECINSTR) != 0)
GETTER(SEC, SEC_Next, s, im, at_index(im, index_of(s, im) + 1))
GETTER(SEC, SEC_Prev, s, im, at_index(im, index_of(s, im) - 1))
GETTER(RTN, SEC_RtnHead, s, im, rtn_head(s, im))
GETTER(RTN, SEC_RtnTail, s, im, rtn_tail(s, im))

SEC SEC_Invalid(void)
{
    return (SEC){0};
}

BOOL SEC_Valid(SEC sec)
{
    struct image *im;
    image_lock();
    bool valid = sec_get((u32)sec.index, &im) != NULL;
    image_unlock();
    return valid;
}
