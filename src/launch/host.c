/* SPDX-License-Identifier: Apache-2.0
 * The host side of the process that is being made: where ld.so, engine, host stack and boot block go, and the plan
 * that puts them there. It is the same for both ways in. Next to the guest's mappings lies the placeholder, which
 * keeps whatever the host maps while it comes up away from the addresses that the guest will get natively; the
 * engine unmaps it. */
#include "launch/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES (8ul << 20)
/* Smaller host stacks under a hard limit on data (stacks count as data) of less than: */
#define SMALL_STACK_BYTES (1ul << 20)
#define SMALL_DATA_BYTES (32ul << 20)
/* More than they have: their loader does not say why it gets no memory. */
#define LIBRARIES_BYTES (4ul << 20)
#define LIBRARIES_DATA_BYTES (512ul << 10)
#define LEAST_AS_BYTES (16ul << 20) /* with less address space not even the engine's libraries can be mapped */
#define GUARD_BYTES (64ul << 10)

extern char **environ;

struct boot_info boot;
static struct elf_image engine, ldso;
static u64 own_end = OWN_BASE;
static u64 as_limit = RLIM_INFINITY; /* after host_lift_limits */
static bool limits_known;            /* host_lift_limits was called: boot.limit is filled in */
static const u64 placeholder_bytes[HOST_PLACEHOLDERS] = {0 /* down to HOST_TOP */, 4ul << 40, 1ul << 40, 256ul << 30,
                                                         64ul << 30, 16ul << 30, 4ul << 30, 1ul << 30, 256ul << 20,
                                                         64ul << 20, 0};

static u32 add_text(const char *s)
{
    size_t n = strlen(s) + 1;
    if (boot.text_bytes + n > sizeof boot.text)
        die(1, "the options for engine and tool are too long (limit %lu bytes)", sizeof boot.text);
    memcpy(boot.text + boot.text_bytes, s, n);
    boot.text_bytes += (u32)n;
    return boot.text_bytes - (u32)n;
}

void boot_add_word(const char *word)
{
    add_text(word);
    boot.argc++;
}

void host_set_exe(const char *path)
{
    boot.exe_off = add_text(path);
}

void host_set_images(const struct program *p, u64 bias, u64 interp_bias)
{
    boot.image[0] = (struct boot_range){p->elf.lo + bias, p->elf.hi + bias};
    if (p->interp.path[0])
        boot.image[1] = (struct boot_range){p->interp.lo + interp_bias, p->interp.hi + interp_bias};
}

void host_lift_limits(int pid)
{
    static const int resource[BOOT_LIMITS] = {[BOOT_LIMIT_AS] = RLIMIT_AS, [BOOT_LIMIT_DATA] = RLIMIT_DATA};
    for (int i = 0; i < BOOT_LIMITS; i++) {
        struct rlimit now = {RLIM_INFINITY, RLIM_INFINITY}, most = now;
        if (prlimit(pid, resource[i], NULL, &now) == 0 && now.rlim_cur != RLIM_INFINITY &&
            prlimit(pid, resource[i], &most, NULL) < 0) {
            most.rlim_cur = most.rlim_max = now.rlim_max;
            prlimit(pid, resource[i], &most, NULL); /* if even that is refused, the engine will say what it lacks */
        }
        boot.limit[i] = (struct boot_limit){now.rlim_cur, now.rlim_max};
    }
    limits_known = true;
    struct rlimit now;
    if (prlimit(pid, RLIMIT_AS, NULL, &now) == 0)
        as_limit = now.rlim_cur;
}

const char *host_limit_hint(int err)
{
    static char text[160];
    if (err != ENOMEM || !limits_known ||
        (boot.limit[BOOT_LIMIT_AS].hard == RLIM_INFINITY && boot.limit[BOOT_LIMIT_DATA].hard == RLIM_INFINITY))
        return "";
    bool as = boot.limit[BOOT_LIMIT_AS].hard != RLIM_INFINITY;
    base_format(
        text, sizeof text, ": the hard limit of %lu KiB on %s (ulimit -H%s) is too small for program and engine",
        boot.limit[as ? BOOT_LIMIT_AS : BOOT_LIMIT_DATA].hard / 1024, as ? "address space" : "data", as ? "v" : "d");
    return text;
}

const char *host_limit_error(void)
{
    return as_limit < LEAST_AS_BYTES ? host_limit_hint(ENOMEM) : "";
}

bool host_placeholder(int i, u64 edge, bool downwards, u64 *bytes)
{
    bool to_top = i == HOST_PLACEHOLDER_TOP;
    if (to_top && (!downwards || edge <= HOST_TOP))
        return false;
    *bytes = to_top ? edge - HOST_TOP : placeholder_bytes[i];
    return (to_top || *bytes <= PLACEHOLDER_MOST_BYTES) && (as_limit == RLIM_INFINITY || *bytes <= as_limit / 4);
}

void *host_map_own(u64 bytes)
{
    void *at = mmap((void *)own_end, PAGE_UP(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (void *)own_end)
        die(1, "no memory for the launcher (%lu bytes): %s%s", bytes, strerror(errno), host_limit_hint(errno));
    own_end += PAGE_UP(bytes);
    return at;
}

struct boot_range host_own_memory(void)
{
    return (struct boot_range){OWN_BASE, own_end};
}

static const char *launcher_path(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) {
        path[n] = '\0';
        return path;
    }
    const char *execfn = (const char *)getauxval(AT_EXECFN);
    if (!execfn || !realpath(execfn, path))
        die(1, "cannot find out where the linchpin command is (no /proc?)");
    return path;
}

bool launcher_find(char out[PATH_MAX], const char *relative)
{
    base_format(out, PATH_MAX, "%s", launcher_path());
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(out, '/');
        if (slash)
            *slash = '\0';
    }
    size_t len = strlen(out);
    if (len + strlen(relative) + 2 > PATH_MAX)
        die(1, "%s/%s: %s", out, relative, strerror(ENAMETOOLONG));
    base_format(out + len, PATH_MAX - len, "/%s", relative);
    return access(out, R_OK) == 0;
}

const char *host_find_engine(void)
{
    static char path[PATH_MAX];
    return launcher_find(path, "lib/linchpin/linchpin-vm") ? path : "";
}

static void read_image(struct elf_image *im, const char *path)
{
    const char *why = "";
    enum elf_status status = elf_read(im, path, &why);
    if (status == ELF_UNREADABLE)
        die(1, "%s, a part of the engine, cannot be read: %s", path, strerror(errno));
    if (status != ELF_OK || im->eh.e_type != ET_DYN || im->narrow)
        die(1, "%s, a part of the engine, is not a position-independent " MACHINE_NAME " ELF file", path);
}

void host_prepare(void)
{
    const char *path = host_find_engine();
    if (!*path)
        die(1, "the engine (../lib/linchpin/linchpin-vm from %s) is missing: %s", launcher_path(), strerror(errno));
    read_image(&engine, path);
    if (!engine.interp[0])
        die(1, "the engine %s is not dynamically linked", path);
    read_image(&ldso, engine.interp);
    boot.magic = BOOT_MAGIC;
    boot.bytes = sizeof boot;
    boot.launcher_off = add_text(launcher_path());
}

bool host_area_downwards(u64 now, struct auxv *guest, u64 sp)
{
    u64 *vdso = auxv_find(guest, AT_SYSINFO_EHDR), *interp = auxv_find(guest, AT_BASE);
    if (vdso && *vdso && *vdso < sp) /* older kernels put it above the stack */
        return now < *vdso;
    if (interp && *interp)
        return now < *interp;
    return now >= MMAP_DOWNWARDS_FROM;
}

/* Generous bound of the host's stack image: all of the environment and a little. */
static u64 stack_image_bound(void)
{
    u64 bytes = 2 * PATH_MAX + sizeof(struct auxv);
    for (char **e = environ; *e; e++)
        bytes += strlen(*e) + 1 + sizeof *e;
    return PAGE_UP(bytes);
}

/* More memory that goes into the process: records of a process that is attached to. */
static const void *extra;
static u64 extra_bytes, extra_auxv;

void host_set_extra(const void *mem, u64 bytes, u64 auxv_at)
{
    extra = mem;
    extra_bytes = bytes;
    extra_auxv = auxv_at;
}

void host_layout_at(struct host_layout *h, u64 edge, bool downwards, u64 placeholder_bytes)
{
    u64 stack =
        (boot.limit[BOOT_LIMIT_DATA].hard < SMALL_DATA_BYTES ? SMALL_STACK_BYTES : STACK_BYTES) + stack_image_bound();
    u64 bytes = GUARD_BYTES + PAGE_UP(extra_bytes) + stack + PAGE_UP(sizeof boot) + (engine.hi - engine.lo) +
                (ldso.hi - ldso.lo);
    u64 zone = downwards ? edge - placeholder_bytes - bytes : edge + placeholder_bytes;
    h->downwards = downwards;
    h->zone = (struct boot_range){zone, zone + bytes};
    h->placeholder = (struct boot_range){0, 0};
    if (placeholder_bytes)
        h->placeholder = downwards ? (struct boot_range){zone + bytes, edge} : (struct boot_range){edge, zone};
    h->extra = zone + GUARD_BYTES;
    h->stack_lo = h->extra + PAGE_UP(extra_bytes);
    h->stack_top = h->stack_lo + stack;
    h->block = h->stack_top;
    h->engine_bias = h->block + PAGE_UP(sizeof boot) - engine.lo;
    h->ldso_bias = h->engine_bias + engine.hi - ldso.lo;
    h->entry = h->ldso_bias + ldso.eh.e_entry;
}

bool host_without_vdso;

static void auxv_hide(struct auxv *a, u64 tag)
{
    for (int i = 0; i + 1 < a->words; i += 2)
        if (a->word[i] == tag)
            a->word[i] = AT_IGNORE;
}

static u8 *plan_stack_buf;
static u64 plan_stack_bytes;

static void plan_stack(struct plan *p, struct host_layout *h, const struct auxv *guest)
{
    static struct auxv auxv;
    static char *argv[2];
    struct stack_image image;
    const u64 fixed[][2] = {{AT_PHDR, h->engine_bias + engine.phdr_vaddr},
                            {AT_PHENT, sizeof(Elf64_Phdr)},
                            {AT_PHNUM, engine.eh.e_phnum},
                            {AT_BASE, h->ldso_bias + ldso.lo},
                            {AT_ENTRY, h->engine_bias + engine.eh.e_entry},
                            {AT_FLAGS, 0},
                            {AT_SECURE, 0}};
    auxv = *guest;
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        auxv_set(&auxv, fixed[i][0], fixed[i][1]);
    if (host_without_vdso)
        auxv_hide(&auxv, AT_SYSINFO_EHDR);
    auxv_add(&auxv, AT_LINCHPIN, h->block);
    argv[0] = engine.path;
    struct stack_spec spec = {.top = h->stack_top, .execfn = engine.path, .argv = argv, .envp = environ,
        .host_env = true, .auxv = &auxv};
    u64 bytes = stack_bound(&spec);
    if (!plan_stack_buf || bytes > plan_stack_bytes) {
        plan_stack_buf = host_map_own(bytes);
        plan_stack_bytes = bytes;
    }
    stack_build(&spec, plan_stack_buf, plan_stack_bytes, &image);
    h->sp = image.sp;
    plan_mmap(p, "the host stack", h->stack_lo, h->stack_top - h->stack_lo, PROT_READ | PROT_WRITE,
              MAP_FIXED | MAP_NORESERVE | MAP_STACK);
    plan_write(p, image.sp, image.mem, image.bytes);
}

/* Only what is not zero is written: the mapping is fresh. It has the flags of the host stack before it, so that both
 * are one for the kernel: each further one makes forks slower (FK5). */
static void plan_block(struct plan *p, const struct host_layout *h)
{
    u64 rest = offsetof(struct boot_info, brk);
    plan_mmap(p, "the boot block", h->block, PAGE_UP(sizeof boot), PROT_READ | PROT_WRITE,
              MAP_FIXED | MAP_NORESERVE | MAP_STACK);
    plan_write(p, h->block, &boot, offsetof(struct boot_info, xstate) + boot.xstate_bytes);
    plan_write(p, h->block + rest, (u8 *)&boot + rest, offsetof(struct boot_info, text) + boot.text_bytes - rest);
}

void host_plan(struct plan *p, struct host_layout *h, const struct auxv *guest)
{
    u64 lo = h->zone.start, hi = h->zone.end;
    if (h->placeholder.end) {
        lo = h->placeholder.start < lo ? h->placeholder.start : lo;
        hi = h->placeholder.end > hi ? h->placeholder.end : hi;
    }
    plan_mmap(p, "address space for the host", lo, hi - lo, PROT_NONE, MAP_FIXED_NOREPLACE | MAP_NORESERVE);
    if (extra_bytes) {
        plan_mmap(p, "the program's threads", h->extra, PAGE_UP(extra_bytes), PROT_READ | PROT_WRITE, MAP_FIXED);
        plan_write(p, h->extra, extra, extra_bytes);
        boot.extra = h->extra;
        boot.guest_auxv = h->extra + extra_auxv;
    }
    plan_stack(p, h, guest);
    plan_block(p, h);
    plan_elf(p, &engine, h->engine_bias, MAP_FIXED);
    plan_elf(p, &ldso, h->ldso_bias, MAP_FIXED);
    if (boot.limit[BOOT_LIMIT_AS].hard != RLIM_INFINITY)
        plan_room(p, "the host's libraries", LIBRARIES_BYTES);
    else if (boot.limit[BOOT_LIMIT_DATA].hard != RLIM_INFINITY)
        plan_room(p, "the host's libraries", LIBRARIES_DATA_BYTES);
    u64 none[6] = {0};
    h->brk_op = plan_call(p, "brk", SYS_brk, none);
}

void host_plan_holes(struct plan *p, const struct host_layout *h, const struct program *prog, int pid)
{
    bool interp = prog->interp.path[0];
    const struct elf_image *im = interp ? &prog->interp : &prog->elf;
    if (im->eh.e_type != ET_DYN || !elf_has_holes(im) || !h->downwards || !h->placeholder.end)
        return;
    boot.nholes = (u32)maps_gaps(pid, h->placeholder.end, boot.hole, BOOT_HOLES);
    for (u32 i = 0; i < boot.nholes; i++)
        plan_mmap(p, "a hole between the program's mappings", boot.hole[i].start, boot.hole[i].end - boot.hole[i].start,
                  PROT_NONE, MAP_FIXED_NOREPLACE | MAP_NORESERVE);
}
