/* SPDX-License-Identifier: Apache-2.0
 * The way in without ptrace: this process maps the program itself, where the kernel would have put it, builds the
 * initial stack at the top of the kernel's stack as the kernel would have, moves break, command line and auxv over
 * (PR_SET_MM_MAP), maps the host side and jumps into its ld.so. The launcher's image and heap stay mapped and are
 * listed in the boot block. From the moment the vdso moves no libc function that asks the time may be called;
 * nothing may call malloc. Runs with all signals blocked. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PIE_BASE (USER_END / 3 * 2)                    /* the kernel's ELF_ET_DYN_BASE, before it rounds down */
#define BRK_RANDOM_BYTES (1ul << 30)
#define STACK_SLIDE_BYTES 8192

extern char **environ;
extern char __executable_start[], _end[];

struct vdso_piece {
    u64 start, end, off; /* off: from the first piece */
};

static struct {
    struct boot_range stack;      /* the kernel's stack mapping, of which the program's stack is made */
    bool narrow;
    struct vdso_piece vdso[4];    /* vvar, vvar_vclock, vdso: they are neighbours and have to stay so */
    int npieces;
    bool random, random_brk;
    u64 bias, interp_bias, vdso_addr, brk;
    struct stack_image image;
    struct auxv auxv;
    struct host_layout host;
    struct prctl_mm_map mm;
    bool exec_stack;
    char comm[16];
} st;
static struct plan plan;

/* --- what this process looks like --------------------------------------------------------------------------------- */

static bool note_mapping(const struct map_line *m, void *arg)
{
    (void)arg;
    if (strcmp(m->name, "[stack]") == 0)
        st.stack = (struct boot_range){m->start, m->end};
    else if (strcmp(m->name, "[heap]") == 0)
        boot.host[boot.nhost++] = (struct boot_range){m->start, m->end};
    else if ((strncmp(m->name, "[vvar", 5) == 0 || strcmp(m->name, "[vdso]") == 0) &&
             st.npieces < (int)ARRAY_LEN(st.vdso))
        st.vdso[st.npieces++] = (struct vdso_piece){m->start, m->end, 0}; /* look_around knows the first */
    return true;
}

static int read_setting(const char *path)
{
    char c = '2';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (read(fd, &c, 1) != 1)
            c = '2';
        close(fd);
    }
    return c - '0';
}

static void look_around(void)
{
    boot.host[boot.nhost++] = (struct boot_range){PAGE_DOWN(__executable_start), PAGE_UP(_end)};
    if (!maps_each(getpid(), note_mapping, NULL) || !st.stack.end)
        die(1, "loading without ptrace needs /proc, which cannot be read: %s", strerror(errno));
    for (int i = 0; i < st.npieces; i++)
        st.vdso[i].off = st.vdso[i].start - st.vdso[0].start;
    int level = personality(0xffffffff) & ADDR_NO_RANDOMIZE ? 0 : read_setting("/proc/sys/kernel/randomize_va_space");
    st.random = level > 0;
    st.random_brk = level > 1;
    st.vdso_addr = getauxval(AT_SYSINFO_EHDR);
}

static u64 random_below(u64 limit)
{
    u64 v = 0;
    if (getrandom(&v, sizeof v, GRND_NONBLOCK) != sizeof v)
        die(1, "no random numbers from the kernel: %s", strerror(errno));
    return v % limit;
}

/* --- the vdso ----------------------------------------------------------------------------------------------------- */

/* Moves all pieces, which must stay at the same distance from each other. A kernel that seals them refuses to move
 * the first: then all stay. */
static bool move_vdso(u64 to)
{
    for (int i = 0; i < st.npieces; i++) {
        struct vdso_piece *v = &st.vdso[i];
        u64 bytes = v->end - v->start, at = to + v->off;
        if (mremap((void *)v->start, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)at) == MAP_FAILED) {
            if (i == 0)
                return false;
            die(1, "the vdso cannot be moved: %s", strerror(errno));
        }
        if (st.vdso_addr >= v->start && st.vdso_addr < v->end)
            st.vdso_addr += at - v->start;
        v->start = at;
        v->end = at + bytes;
    }
    return true;
}

/* Moves the vdso out of the way if it lies in the mmap area, because the kernel maps program and interpreter before
 * it. Older kernels put it above the stack, where it stays. */
static bool park_vdso(void)
{
    return st.npieces && st.vdso[0].start < st.stack.start && move_vdso(PARK_ADDR);
}

static void place_vdso(void)
{
    u64 bytes = st.vdso[st.npieces - 1].end - st.vdso[0].start;
    void *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || !move_vdso((u64)at))
        die(1, "the vdso cannot be moved: %s", strerror(errno));
}

/* --- a program of 32 bits ----------------------------------------------------------------------------------------- */

#define NARROW_STACK_BYTES (132ul << 10) /* that the kernel gives it at first; it grows */
#define NARROW_STACK_SLIDE_PAGES 2048
#define NARROW_BRK_RANDOM_BYTES (32ul << 20)
#define NARROW_PIE_PAGES 256

static u64 random_below(u64 limit);

/* Its stack is where 32-bit pointers reach; the kernel's stack stays the launcher's. */
static void make_narrow_stack(const struct program *p)
{
    u64 top = NARROW_END - (st.random ? random_below(NARROW_STACK_SLIDE_PAGES) * PAGE_BYTES : 0),
        bytes = NARROW_STACK_BYTES + PAGE_UP(st.image.bytes),
        prot = PROT_READ | PROT_WRITE | (p->elf.exec_stack ? PROT_EXEC : 0);
    void *at = mmap((void *)(top - bytes), bytes, (int)prot,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN | MAP_NORESERVE, -1, 0);
    if (at != (void *)(top - bytes))
        die(1, "no place for the program's stack: %s", strerror(errno));
    st.stack = (struct boot_range){top - bytes, top};
}

/* --- program and interpreter -------------------------------------------------------------------------------------- */

/* Where the kernel puts an image that it may choose the place for: asks by an mmap of the whole image, which is not
 * kept. */
static u64 choose_base(const struct elf_image *im)
{
    const Elf64_Phdr *first = im->ph;
    while (first->p_type != PT_LOAD || !first->p_memsz)
        first++;
    if (st.narrow) {
        u64 place = machine_narrow_place(im->hi - im->lo);
        if (!place)
            die(126, "%s: no address space for it", im->path);
        return place;
    }
    int fd = open(im->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        die(126, "%s: %s", im->path, strerror(errno));
    void *at = mmap(NULL, im->hi - im->lo, PROT_READ, MAP_PRIVATE, fd, (off_t)PAGE_DOWN(first->p_offset));
    if (at == MAP_FAILED)
        die(126, "%s: no address space for it: %s", im->path, strerror(errno));
    munmap(at, im->hi - im->lo);
    close(fd);
    return (u64)at;
}

static u64 image_bias(const struct elf_image *im, bool with_interp)
{
    if (im->eh.e_type == ET_EXEC)
        return 0;
    u64 narrow_base = NARROW_PIE_BASE + (st.random ? random_below(NARROW_PIE_PAGES) * PAGE_BYTES : 0);
    u64 wide_base = PIE_BASE + (st.random ? random_below(1ul << 28) * PAGE_BYTES : 0);
    u64 base = !with_interp ? choose_base(im) : st.narrow ? narrow_base : wide_base;
    if (im->align > PAGE_BYTES)
        base &= ~(im->align - 1);
    return PAGE_DOWN(base - im->lo);
}

static u64 map_image(const struct elf_image *im, bool with_interp)
{
    if (!plan_fits(im))
        die(126, "%s: too many segments for loading without ptrace", im->path);
    u64 bias = image_bias(im, with_interp);
    plan_init(&plan, 0);
    plan_elf(&plan, im, bias, MAP_FIXED_NOREPLACE);
    int failed = plan_run(&plan);
    if (failed >= 0)
        die(126, "%s: cannot be mapped at %lx: %s", im->path, im->lo + bias,
            strerror((int)-plan.page.op[failed].result));
    return bias;
}

static void map_program(const struct program *p)
{
    bool with_interp = p->interp.path[0],
         move = !st.narrow && (with_interp || p->elf.eh.e_type == ET_DYN) && park_vdso();
    st.bias = map_image(&p->elf, with_interp);
    if (with_interp)
        st.interp_bias = map_image(&p->interp, false);
    if (move)
        place_vdso();
    if (st.narrow) {
        st.vdso_addr = host_without_vdso ? 0 : machine_narrow_vdso(&boot);
        host_without_vdso = true; /* the host has none in any case */
    }
    st.brk = PAGE_UP(p->elf.end_bss + st.bias);
    bool static_pie = p->elf.eh.e_type == ET_DYN && !with_interp;
    if (static_pie)
        st.brk = PAGE_UP(st.narrow ? NARROW_PIE_BASE : PIE_BASE); /* the kernel keeps the break out of the mmap area */
    if (st.random_brk)
        st.brk += PAGE_DOWN(random_below(st.narrow ? NARROW_BRK_RANDOM_BYTES : BRK_RANDOM_BYTES));
    st.exec_stack = p->elf.exec_stack;
}

/* --- the guest's stack and state ---------------------------------------------------------------------------------- */

static void build_stack(const struct program *p)
{
    const u64 *own = (const u64 *)environ;
    while (*own++)
        ;
    auxv_copy(&st.auxv, own);
    bool with_interp = p->interp.path[0];
    if (st.narrow && st.vdso_addr)
        auxv_add_first(&st.auxv, AT_SYSINFO, boot.narrow_vdso.call);
    const u64 fixed[][2] = {{AT_SYSINFO_EHDR, st.vdso_addr},
                            {AT_PHDR, st.bias + p->elf.phdr_vaddr},
                            {AT_PHENT, p->elf.eh.e_phentsize},
                            {AT_PHNUM, p->elf.eh.e_phnum},
                            {AT_BASE, with_interp ? st.interp_bias + p->interp.lo : 0},
                            {AT_ENTRY, st.bias + p->elf.eh.e_entry}};
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        auxv_set(&st.auxv, fixed[i][0], fixed[i][1]);
    if (st.narrow)
        make_narrow_stack(p);
    struct stack_spec spec = {.narrow = st.narrow, .top = st.stack.end,
        .execfn = p->path, .head = p->head, .nhead = p->nhead,
        .argv = p->argv, .envp = environ,
                              .slide = st.random ? random_below(STACK_SLIDE_BYTES) : 0, .auxv = &st.auxv};
    u64 bytes = stack_bound(&spec);
    stack_build(&spec, host_map_own(bytes), bytes, &st.image);
}

static void fill_boot(const struct program *p, u64 sigmask)
{
    static char exe[PATH_MAX];
    char link[32];
    boot.mode = BOOT_INPROC;
    u64 start = p->interp.path[0] ? st.interp_bias + p->interp.eh.e_entry : st.bias + p->elf.eh.e_entry;
    machine_start_state(&boot, start, st.image.sp, st.narrow);
    boot.sigmask = sigmask;
    boot.guest_entry = st.bias + p->elf.eh.e_entry;
    host_set_images(p, st.bias, st.interp_bias);
    boot.guest_auxv = st.image.auxv;
    boot.guest_auxv_bytes = (u64)st.auxv.words * (st.narrow ? 4 : 8);
    int fd = open(p->file, O_PATH | O_CLOEXEC);
    base_format(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, exe, sizeof exe - 1);
    close(fd);
    host_set_exe(n > 0 ? exe : p->file);
    const char *name = strrchr(p->path, '/');
    base_format(st.comm, sizeof st.comm, "%s", name ? name + 1 : p->path);
}

/* As the program has it on its stack, which is what /proc shows: in words of its own size. */
static void keep_auxv(void)
{
    static u32 narrow[ARRAY_LEN(st.auxv.word)];
    st.mm.auxv = (void *)st.auxv.word;
    st.mm.auxv_size = (u32)st.auxv.words * 8;
    if (!st.narrow)
        return;
    for (int i = 0; i < st.auxv.words; i++)
        narrow[i] = (u32)st.auxv.word[i];
    st.mm.auxv = (void *)narrow;
    st.mm.auxv_size = (u32)st.auxv.words * 4;
}

static void fill_mm(const struct program *p)
{
    const struct elf_image *e = &p->elf;
    st.mm = (struct prctl_mm_map){
        .start_code = e->start_code + st.bias, .end_code = e->end_code + st.bias, .start_data = e->start_data + st.bias,
        .end_data = e->end_data + st.bias,
        .start_brk = st.brk, .brk = st.brk, .start_stack = st.image.sp,
        .arg_start = st.image.arg_start, .arg_end = st.image.arg_end, .env_start = st.image.env_start,
        .env_end = st.image.env_end,
        .exe_fd = (u32)-1,
    };
    keep_auxv();
}

/* --- the host, and off -------------------------------------------------------------------------------------------- */

/* Tries the placeholder's sizes next to the edge; the index of the call that failed, or -1. */
static int place_host(u64 edge, bool down)
{
    int failed = 0;
    for (int i = 0; i < HOST_PLACEHOLDERS && failed == 0; i++) {
        u64 bytes;
        if (!host_placeholder(i, edge, down, &bytes))
            continue;
        host_layout_at(&st.host, edge, down, bytes);
        plan_init(&plan, 0);
        host_plan(&plan, &st.host, &st.auxv);
        failed = plan_run(&plan);
        if (failed == 0 && i != HOST_PLACEHOLDER_TOP && plan.page.op[0].result == (u64)-EEXIST) {
            u64 next = maps_find_edge(getpid(), edge, down, HOST_MIN_GAP);
            i -= next && next != edge; /* the same size is tried at the next place */
            edge = next ? next : edge;
        }
    }
    return failed;
}

static void check_plan(const struct plan *pl, int failed)
{
    int err = failed < 0 ? 0 : (int)-pl->page.op[failed].result;
    if (err)
        die(1, "cannot map %s: %s%s", pl->what[failed], strerror(err), host_limit_hint(err));
}

/* Where the kernel would put the next mapping of that size; 0: nowhere. */
static u64 probe(u64 bytes)
{
    void *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return 0;
    munmap(at, bytes);
    return (u64)at;
}

static void load_host(const struct program *p)
{
    static struct plan holes;
    u64 first = probe(PAGE_BYTES), large = probe(HOST_MIN_GAP);
    if (!first)
        die(1, "no memory for the engine: %s", strerror(errno));
    /* a page may fall into a hole of the program's; large ones do not, but the kernel may align them */
    bool down = st.narrow ? first >= MMAP_DOWNWARDS_FROM
                          : host_area_downwards(large ? large : first, &st.auxv, st.image.sp);
    check_plan(&plan, place_host(down ? first + PAGE_BYTES : first, down));
    boot.placeholder = st.host.placeholder;
    boot.host[boot.nhost++] = st.host.zone;
    boot.host[boot.nhost++] = host_own_memory();
    plan_init(&holes, 0);
    host_plan_holes(&holes, &st.host, p, getpid());
    check_plan(&holes, plan_run(&holes));
    /* Filled in here, because it is known only now. */
    memcpy((void *)st.host.block, &boot, offsetof(struct boot_info, text));
}

/* On the host's stack: the kernel's stack becomes the guest's. */
static void finish(void) NORETURN;
static void finish(void)
{
    u64 page = PAGE_DOWN(st.image.sp);
    if (page > st.stack.start && !st.narrow)
        /* The launcher's stack frames become zero again. */
        madvise((void *)st.stack.start, page - st.stack.start, MADV_DONTNEED);
    if (!st.narrow)
        memset((void *)page, 0, st.image.sp - page);
    memcpy((void *)st.image.sp, st.image.mem, st.image.bytes);
    if (st.exec_stack && !st.narrow)
        mprotect((void *)page, st.stack.end - page, PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN);
#ifdef RSEQ_SIG /* libc registers areas on this architecture */
    if (__rseq_size)
        syscall(SYS_rseq, (u8 *)__builtin_thread_pointer() + __rseq_offset, 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
#endif
    /* refused: the break stays ours, /proc shows our command line; the guest runs all the same */
    prctl(PR_SET_MM, PR_SET_MM_MAP, &st.mm, sizeof st.mm, 0);
    prctl(PR_SET_NAME, st.comm, 0, 0, 0);
    ((struct boot_info *)st.host.block)->brk = (u64)syscall(SYS_brk, 0);
    machine_start(st.host.sp, st.host.entry);
}

void inproc_launch(const struct program *p)
{
    u64 all = ~0ul, mask;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, 8);
    host_lift_limits(0); /* first: the launcher's own memory counts, too */
    if (host_limit_error()[0])
        die(1, "no memory for the engine%s", host_limit_error());
    look_around();
    st.narrow = p->elf.narrow;
    if (st.narrow) /* the launcher's stack is not the program's */
        boot.host[boot.nhost++] = st.stack;
    map_program(p);
    build_stack(p);
    fill_boot(p, mask);
    fill_mm(p);
    load_host(p);
    machine_call_on((st.host.sp - 4096) & ~15ul, finish);
}
