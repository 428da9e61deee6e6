/* SPDX-License-Identifier: Apache-2.0
 * linchpin doctor: says what this machine allows, one line for each thing, and what follows from it. Tries things where
 * that can be done without harm. Changes nothing. */
#include "launch/launch.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#define HWCAP2_FSGSBASE 2

static void say(const char *what, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void say(const char *what, const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = base_format(line, sizeof line, "%-12s ", what);
    n += base_vformat(line + n, sizeof line - 1 - (size_t)n, fmt, ap);
    va_end(ap);
    line[n++] = '\n';
    if (write(STDOUT_FILENO, line, (size_t)n) != n)
        _exit(1);
}

/* First line of a file, NULL: cannot be read. */
static const char *read_line(const char *path)
{
    static char buf[256];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    ssize_t n = read(fd, buf, sizeof buf - 1);
    close(fd);
    if (n <= 0)
        return NULL;
    buf[n] = '\0';
    buf[strcspn(buf, "\n")] = '\0';
    return buf;
}

static bool report_ptrace(void)
{
    int err = inject_probe();
    const char *scope = read_line("/proc/sys/kernel/yama/ptrace_scope");
    if (err)
        say("ptrace", "refused (%s): programs are loaded in-process", strerror(err));
    else
        say("ptrace", "works");
    say("yama", "%s", !scope           ? "not there: no restriction"
                      : *scope == '0' ? "scope 0: no restriction"
                      : *scope == '1' ? "scope 1: descendants only; launching works"
                      : *scope == '2' ? "scope 2: only with CAP_SYS_PTRACE"
                                      : "scope 3: no ptrace at all");
    return !err;
}

static void report_seccomp(void)
{
    int mode = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
    say("seccomp", "%s",
        mode == 0   ? "no filter"
        : mode == 2 ? "a filter is active: it may refuse ptrace or personality"
                    : "not known to the kernel");
}

static bool report_set_mm(void)
{
    unsigned bytes = 0;
    bool works = prctl(PR_SET_MM, PR_SET_MM_MAP_SIZE, &bytes, 0, 0) == 0 && bytes == sizeof(struct prctl_mm_map);
    say("PR_SET_MM", "%s", works ? "works: in-process loading shows the program's own break, command line and auxv"
                                 : "refused: under in-process loading /proc shows linchpin's command line");
    return works;
}

static void report_cpu(void)
{
    u32 a, b = 0, c = 0, d, x;
    bool osxsave = __get_cpuid_count(1, 0, &a, &x, &c, &d) && (c & bit_OSXSAVE);
    __get_cpuid_count(7, 0, &a, &b, &c, &d);
    say("cpu", "AVX2 %s, AVX-512 %s, BMI2 %s", b & bit_AVX2 ? "yes" : "no", b & bit_AVX512F ? "yes" : "no",
        b & bit_BMI2 ? "yes" : "no");
    if (!osxsave) {
        say("xsave", "not there: SSE state only");
        return;
    }
    u32 lo, hi, bytes = 0;
    __asm__("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    __get_cpuid_count(0xd, 0, &a, &bytes, &c, &d);
    say("xsave", "components %lx (x87%s%s%s%s%s), %u bytes%s", (u64)hi << 32 | lo, lo & 2 ? " SSE" : "",
        lo & 4 ? " AVX" : "", (lo & 0xe0) == 0xe0 ? " AVX-512" : "", lo & 0x200 ? " PKRU" : "",
        lo & 0x60000 ? " AMX" : "", bytes, bytes > BOOT_XSTATE_BYTES ? ": more than the engine can hold" : "");
}

static bool report_fsgsbase(void)
{
    bool on = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE;
    say("FSGSBASE", "%s", on ? "on" : "off: the engine needs it (kernel 5.9 or newer, not disabled by nofsgsbase)");
    return on;
}

/* The host's libc is the one whose dynamic linker the engine names; its text says "release version N.NN." */
static void report_libc(const char *engine)
{
    struct elf_image im; /* large, but no static data, which counts for every run (ulimit -d) */
    const u64 bytes = 1ul << 20;
    char *text = host_map_own(bytes);
    const char *why, key[] = "release version ";
    int fd = elf_read(&im, engine, &why) == ELF_OK ? open(im.interp, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd < 0 ? 0 : read(fd, text, bytes - 1);
    char *at = n > 0 ? memmem(text, (size_t)n, key, sizeof key - 1) : NULL;
    if (fd >= 0)
        close(fd);
    if (!at) {
        say("libc", "unknown");
        return;
    }
    at += sizeof key - 1;
    at[strspn(at, "0123456789.")] = '\0';
    if (*at && at[strlen(at) - 1] == '.')
        at[strlen(at) - 1] = '\0';
    say("libc", "glibc %s (%s)", at, im.interp);
}

/* The code cache is both at once, or with -wx first the one and then the other. */
static bool report_code(void)
{
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool both = p != MAP_FAILED;
    if (!both)
        p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool turns = p != MAP_FAILED && mprotect(p, 4096, PROT_READ | PROT_EXEC) == 0;
    if (p != MAP_FAILED)
        munmap(p, 4096);
    say("code", "%s", both && turns ? "memory may be writable and executable at once, or become executable (-wx)"
                      : both        ? "memory may be writable and executable at once, but not become executable: no -wx"
                      : turns       ? "memory may become executable, but not be writable at the same time: use -wx"
                                    : "the kernel lets no memory become executable");
    return both || turns;
}

static void report_kernel(void)
{
    struct utsname u;
    if (uname(&u) == 0)
        say("kernel", "%s %s", u.sysname, u.release);
}

static void report_memory(void)
{
    const char *v = read_line("/proc/sys/kernel/randomize_va_space");
    bool off = personality(0xffffffff) & ADDR_NO_RANDOMIZE;
    say("ASLR", "randomize_va_space %s%s", v ? v : "unknown", off ? ", switched off for this process" : "");
    v = read_line("/proc/sys/vm/overcommit_memory");
    say("overcommit", "%s",
        !v          ? "unknown"
        : *v == '0' ? "0: heuristic"
        : *v == '1' ? "1: always"
                    : "2: strict; the engine's memory counts against the limit");
    v = read_line("/proc/sys/vm/mmap_min_addr");
    say("low memory", "mmap_min_addr %s", v ? v : "unknown");
}

/* The version that the program says it has; false: it is not there. */
static bool qemu_version(int *major, int *minor)
{
    char text[128] = "", *at;
    FILE *from = program_in_path("qemu-system-x86_64") ? popen("qemu-system-x86_64 --version 2>/dev/null", "re") : NULL;
    if (!from)
        return false;
    size_t n = fread(text, 1, sizeof text - 1, from);
    text[n] = '\0';
    pclose(from);
    at = strstr(text, "version ");
    return at && sscanf(at, "version %d.%d", major, minor) == 2;
}

static void report_system(void)
{
    int major = 0, minor = 0;
    if (!qemu_version(&major, &minor))
        say("system", "no qemu-system-x86_64: linchpin system needs Debian's package qemu-system-x86 (7.2)");
    else if (major < 6 || major > 8)
        say("system", "QEMU %d.%d has another version of the plugin interface: linchpin system needs 6.0 to 8.2, as "
            "Debian 12 has (qemu-system-x86)", major, minor);
    else
        say("system", "QEMU %d.%d: linchpin system runs x86-64 guests; its interface shows tools no registers",
            major, minor);
}

int doctor_main(int argc, char **argv)
{
    (void)argv;
    if (argc)
        die(1, "doctor: it takes no words");
    const char *engine = host_find_engine();
    report_kernel();
    report_libc(engine);
    bool ptrace_works = report_ptrace();
    report_seccomp();
    report_set_mm();
    bool fsgsbase = report_fsgsbase();
    report_cpu();
    report_memory();
    bool code = report_code();
    report_system();
    say("engine", "%s", *engine ? engine : "missing");
    bool proc = access("/proc/self/maps", R_OK) == 0;
    say("proc", proc ? "mounted" : "not mounted");
    bool runs = fsgsbase && *engine && code && proc;
    if (runs)
        say("result", "Linchpin can run here; injection: %s", ptrace_works ? "ptrace" : "inprocess");
    else
        say("result", "Linchpin cannot run here: %s", !fsgsbase ? "no FSGSBASE"
                                                      : !*engine ? "the engine is missing"
                                                      : !code    ? "no memory for code"
                                                                 : "no /proc");
    return runs ? 0 : 1;
}
