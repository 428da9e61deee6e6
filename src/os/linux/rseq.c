/* SPDX-License-Identifier: Apache-2.0
 * Restartable sequences: the rseq system call, the sections that are known, and what a thread does that was interrupted
 * in one (docs/design/rseq.md). The guest's own area is registered with the kernel. Owns the list of sections, which
 * only grows: it is changed under jit_lock and read without. Never makes code. */
#include "os/linux/rseq.h"

#include "arch/arch.h"
#include "os/events.h"
#include "os/gmap.h"
#include "os/hostmem.h"
#include "os/linux/sys.h"
#include "os/os.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define UNREGISTER 1
#define AREA_SECTION 8      /* offset of rseq_cs in the area */
#define LOWEST 0x10000      /* no program has memory below */
#define SECTION_MAX (1u << 20)
#define MAX_LANDINGS 16
#define USUAL_SIGNATURE 0x53053053u /* of libc, and of nearly everybody */

u32 os_sections;
static u64 lowest = ~0ul, highest; /* of all of them */

/* One for each signature: the signature, and after it the address at which the kernel lets an interrupted thread go on.
 * Nothing can be executed there (RS4). */
static struct landing {
    u32 pad[2], signature;
    u32 here;
} landing[MAX_LANDINGS];

/* One page of host memory, made when the first section is found. */
static struct os_section *section;
#define MAX_SECTIONS (PAGE_BYTES / sizeof *section)

static const u64 uninterrupted = 1;

/* --- the landings ------------------------------------------------------------------------------------------------- */

bool rseq_lands(u64 pc) { return pc - (u64)landing < sizeof landing; }

static struct landing *find_landing(u32 signature)
{
    for (u32 i = 0; i < MAX_LANDINGS && __atomic_load_n(&landing[i].here, __ATOMIC_ACQUIRE); i++)
        if (landing[i].signature == signature)
            return &landing[i];
    return NULL;
}

/* False: there were too many signatures. Sections with another signature than the usual one were not found before. */
static bool make_landing(u32 signature)
{
    static u32 n;
    if (find_landing(signature))
        return true;
    process_lock();
    bool ok = n < MAX_LANDINGS;
    if (ok) {
        landing[n].signature = signature;
        __atomic_store_n(&landing[n].here, 1, __ATOMIC_RELEASE);
        n++;
    }
    process_unlock();
    if (ok && signature != USUAL_SIGNATURE)
        os_events.code_changed(0, ~0ul - PAGE_BYTES); /* all */
    return ok;
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

static bool covers(const struct os_section *s, u64 pc) { return pc - s->start < s->end - s->start; }

/* Reads the descriptor there. False: there is none that the kernel would take. */
static bool read_section(u64 at, struct os_section *s)
{
    struct rseq_descriptor d;
    u32 signature;
    if (os_safe_copy(&d, (void *)at, sizeof d) != sizeof d || d.version || d.flags > 7 || !d.start || !d.bytes ||
        d.bytes > SECTION_MAX || d.abort - d.start < d.bytes ||
        os_safe_copy(&signature, (void *)(d.abort - 4), sizeof signature) != sizeof signature ||
        (signature != USUAL_SIGNATURE && !find_landing(signature)))
        return false;
    *s = (struct os_section){d.start, d.start + d.bytes, d.abort};
    return true;
}

static bool is_known(const struct os_section *s)
{
    for (u32 i = 0; i < os_sections; i++) {
        const struct os_section *k = &section[i];
        if (k->start == s->start && k->end == s->end && k->abort == s->abort)
            return true;
    }
    return false;
}

/* A copy that faults is slow, and most of what is looked at is no descriptor. */
static bool is_mapped(u64 at, u32 how)
{
    struct gmap_area area;
    return gmap_find(at, &area) && area.flags & how;
}

static bool is_descriptor(u64 at)
{
    struct rseq_descriptor d;
    return os_safe_copy(&d, (void *)at, sizeof d) == sizeof d && is_mapped(d.start, GMAP_EXEC) &&
           is_mapped(d.abort, GMAP_EXEC);
}

bool os_section_note(u64 descriptor, struct os_section *s)
{
    u64 head; /* version and flags */
    if (descriptor < LOWEST || descriptor % OS_SECTION_ALIGN || !is_mapped(descriptor, GMAP_READ) ||
        os_safe_copy(&head, (void *)descriptor, sizeof head) != sizeof head || (u32)head ||
        !is_descriptor(descriptor) || !read_section(descriptor, s) || is_known(s))
        return false;
    if (!section)
        section = hostmem_map(PAGE_BYTES, PROT_READ | PROT_WRITE);
    if (!section || os_sections == MAX_SECTIONS) {
        static bool told;
        if (!told)
            msg("the program has more than %u restartable sequences: the others are not restarted", os_sections);
        told = true;
        return false;
    }
    section[os_sections] = *s;
    lowest = s->start < lowest ? s->start : lowest;
    highest = s->end > highest ? s->end : highest;
    __atomic_store_n(&os_sections, os_sections + 1, __ATOMIC_RELEASE);
    return true;
}

bool os_section_border(u64 pc)
{
    for (u32 i = 0; pc >= lowest && pc <= highest && i < os_sections; i++)
        if (section[i].start == pc || section[i].end == pc)
            return true;
    return false;
}

bool os_section_near(u64 pc, u64 bytes) { return pc + bytes >= lowest && pc <= highest; }

bool os_section_at(u64 pc)
{
    for (u32 i = 0; pc >= lowest && pc < highest && i < os_sections; i++)
        if (covers(&section[i], pc))
            return true;
    return false;
}

static bool find_start(u64 pc, struct os_section *s)
{
    u32 n = __atomic_load_n(&os_sections, __ATOMIC_ACQUIRE);
    for (u32 i = 0; i < n; i++)
        if (section[i].start == pc) {
            *s = section[i];
            return true;
        }
    return false;
}

/* --- a thread in a section ---------------------------------------------------------------------------------------- */

static bool is_own(const struct os_thread *os, u64 descriptor)
{
    return descriptor == (u64)&os->section_copy[0] || descriptor == (u64)&os->section_copy[1];
}

/* The word of the thread's area that names its section; false: it has none, or it cannot be read. */
static bool read_word(const struct os_thread *os, u64 *now)
{
    return os->rseq && os_safe_copy(now, (void *)(os->rseq + AREA_SECTION), sizeof *now) == sizeof *now;
}

u64 os_section_now(void)
{
    u64 now;
    return read_word(&vm_tc.os, &now) && !is_own(&vm_tc.os, now) ? now : 0;
}

static void abort_section(struct thread *t)
{
    arch_set_pc(&t->cpu, t->os.section.abort);
    t->os.section = (struct os_section){0};
}

/* RS3 */
bool os_section_enter(u64 code, u64 bytes, bool fell)
{
    struct os_thread *os = &vm_tc.os;
    u64 now, pc = arch_pc(&vm_tc.cpu);
    os->section_word = &uninterrupted;
    if (!read_word(os, &now))
        return true;
    if (now && !is_own(os, now) && !read_section(now, &os->section))
        os->section = (struct os_section){0};
    if (!now && (covers(&os->section, pc) || (fell && find_start(pc, &os->section)))) {
        abort_section(&vm_tc);
        return false;
    }
    if (!now || !covers(&os->section, pc)) {
        os->section = (struct os_section){0}; /* not as a section: natively nothing restarts there, either */
        return true;
    }
    struct rseq_descriptor *d = &os->section_copy[now == (u64)&os->section_copy[0]];
    u64 *word = (u64 *)(os->rseq + AREA_SECTION);
    *d = (struct rseq_descriptor){0, 0, code, bytes, (u64)&find_landing(os->rseq_signature)->here};
    os->section_tls = arch_tls_base();
    if (!__atomic_compare_exchange_n(word, &now, (u64)d, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        abort_section(&vm_tc);
        return false;
    }
    os->section_word = word;
    return true;
}

/* RS5 */
void rseq_interrupt(struct thread *t)
{
    struct os_thread *os = &t->os;
    u64 now, none = 0, pc = arch_pc(&t->cpu);
    if (!read_word(os, &now))
        return;
    bool inside = covers(&os->section, pc) || find_start(pc, &os->section);
    if (inside)
        abort_section(t);
    if (now && (inside || is_own(os, now)))
        sys_write(os->rseq + AREA_SECTION, &none, sizeof none);
}

/* --- the system call ---------------------------------------------------------------------------------------------- */

bool os_kernel_writes(u64 page)
{
    bool found = false;
    thread_list_lock();
    for (const struct thread *t = thread_first(); t && !found; t = t->next)
        found = t->os.rseq && t->os.rseq < page + PAGE_BYTES && t->os.rseq + t->os.rseq_bytes > page;
    thread_list_unlock();
    return found;
}

void rseq_adopt(u64 area, u32 bytes, u32 signature)
{
    if (!area)
        return;
    if (!make_landing(signature))
        die(1, "the process has more than %u signatures of restartable sequences", MAX_LANDINGS);
    rseq_note(area, bytes, signature);
}

/* The guest may give the area's memory away. */
void rseq_end_thread(void)
{
    const struct os_thread *os = &vm_tc.os;
    if (os->rseq)
        arch_raw_syscall(SYS_rseq, os->rseq, os->rseq_bytes, UNREGISTER, os->rseq_signature, 0, 0);
}

void rseq_note(u64 area, u32 bytes, u32 signature)
{
    struct os_thread *os = &vm_tc.os;
    os->rseq = area;
    os->rseq_bytes = bytes;
    os->rseq_signature = signature;
    os->section = (struct os_section){0};
}

/* RS1: the kernel judges all of it. Nobody protects the area's page from the moment that it is noted (pages_watch). */
void sys_rseq(void)
{
    struct os_thread *os = &vm_tc.os;
    u64 area = sys_arg(0), bytes = sys_arg(1), signature = sys_arg(3);
    bool ends = sys_arg(2) & UNREGISTER, first = !ends && !os->rseq;
    if (!arch_info.sections || !make_landing((u32)signature)) {
        sys_finish(-ENOSYS);
        return;
    }
    if (first) {
        os->rseq = area;
        os->rseq_bytes = (u32)bytes;
    }
    os_events.kernel_write(area, area + bytes);
    s64 r = sys_call();
    if (r == 0)
        rseq_note(ends ? 0 : area, (u32)bytes, (u32)signature);
    else if (first)
        os->rseq = 0;
    sys_finish(r);
}
