/* SPDX-License-Identifier: Apache-2.0
 * Formatting without libc state, messages, and the end of the process on our own bugs. Async-signal-safe throughout. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int msg_fd = 2;
int (*msg_find)(bool *close_after);
int log_level;
const char *error_file;
bool error_file_unique;
const char *error_log;
const char *pin_log;
const char *pin_lead = "";
void (*bug_hook)(void);
bool (*misuse_place)(char *file, size_t bytes, int *line);

struct out {
    char *at, *end;
};

static void put(struct out *o, char c)
{
    if (o->at < o->end)
        *o->at++ = c;
}

static void put_text(struct out *o, const char *s, int width, bool left)
{
    int n = (int)strlen(s);
    for (int i = n; !left && i < width; i++)
        put(o, ' ');
    for (; *s; s++)
        put(o, *s);
    for (int i = n; left && i < width; i++)
        put(o, ' ');
}

static void put_number(struct out *o, u64 v, unsigned radix, bool negative, int width, char pad)
{
    char digits[24];
    int n = 0;
    do
        digits[n++] = "0123456789abcdef"[v % radix];
    while (v /= radix);
    if (negative)
        digits[n++] = '-';
    for (int i = n; i < width; i++)
        put(o, pad);
    while (n)
        put(o, digits[--n]);
}

int base_vformat(char *out, size_t bytes, const char *fmt, va_list ap)
{
    struct out o = {out, out + bytes - 1};
    for (; *fmt; fmt++) {
        if (*fmt != '%') {
            put(&o, *fmt);
            continue;
        }
        bool left = false, wide = false;
        char pad = ' ';
        int width = 0;
        for (fmt++; *fmt == '-' || *fmt == '0'; fmt++) {
            left |= *fmt == '-';
            pad = *fmt == '0' ? '0' : pad;
        }
        for (; *fmt >= '0' && *fmt <= '9'; fmt++)
            width = width * 10 + *fmt - '0';
        for (; *fmt == 'l' || *fmt == 'z'; fmt++)
            wide = true;
        switch (*fmt) {
        case 's': {
            const char *s = va_arg(ap, const char *);
            put_text(&o, s ? s : "(null)", width, left);
            break;
        }
        case 'm': /* what errno says */
            put_text(&o, strerror(errno), width, left);
            break;
        case 'c':
            put(&o, (char)va_arg(ap, int));
            break;
        case 'd': {
            s64 v = wide ? va_arg(ap, s64) : va_arg(ap, int);
            put_number(&o, v < 0 ? -(u64)v : (u64)v, 10, v < 0, width, pad);
            break;
        }
        case 'u':
        case 'x': {
            u64 v = wide ? va_arg(ap, u64) : va_arg(ap, unsigned);
            put_number(&o, v, *fmt == 'u' ? 10 : 16, false, width, pad);
            break;
        }
        case 'p':
            put(&o, '0');
            put(&o, 'x');
            put_number(&o, (u64)va_arg(ap, void *), 16, false, width, pad);
            break;
        case '\0':
            fmt--;
            break;
        default:
            put(&o, *fmt);
        }
    }
    *o.at = '\0';
    return (int)(o.at - out);
}

int base_format(char *out, size_t bytes, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = base_vformat(out, bytes, fmt, ap);
    va_end(ap);
    return n;
}

/* A message must not raise SIGPIPE or SIGXFSZ in the program. So all signals are blocked, and what our write has
 * raised is taken back. The system calls are made directly, because libc's functions leave two signals out. */
static void write_quietly(int fd, const char *line, size_t n)
{
    u64 all = ~0ul, old = all, before = 0, ours;
    struct timespec none = {0, 0};
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof all);
    syscall(SYS_rt_sigpending, &before, sizeof before);
    if (write(fd, line, n) < 0 && (errno == EPIPE || errno == EFBIG)) {
        ours = 1ul << ((errno == EPIPE ? SIGPIPE : SIGXFSZ) - 1);
        if (!(before & ours))
            syscall(SYS_rt_sigtimedwait, &ours, NULL, &none, sizeof ours);
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof old);
}

static void vmsg(const char *fmt, va_list ap)
{
    if (msg_fd == -1)
        return;
    char line[4096];
    int saved = errno;
    bool close_after = false;
    int fd = msg_fd != MSG_FIND ? msg_fd : msg_find(&close_after);
    int n = base_format(line, sizeof line - 1, "linchpin: ");
    n += base_vformat(line + n, sizeof line - 1 - (size_t)n, fmt, ap);
    line[n++] = '\n';
    if (fd >= 0)
        write_quietly(fd, line, (size_t)n);
    if (close_after)
        close(fd);
    errno = saved;
}

void msg(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vmsg(fmt, ap);
    va_end(ap);
}

static const struct {
    char is;
    const char *written;
} entities[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'\'', "&apos;"}, {'"', "&quot;"}};

static size_t put_escaped(char *out, size_t bytes, char c)
{
    for (size_t i = 0; i < ARRAY_LEN(entities); i++)
        if (entities[i].is == c)
            return (size_t)base_format(out, bytes, "%s", entities[i].written);
    return (size_t)base_format(out, bytes, "%c", c);
}

/* <name>text</name>, in which the signs of XML are written as it wants them. */
static void write_field(int fd, const char *name, const char *text)
{
    char line[4096];
    size_t n = (size_t)base_format(line, sizeof line, "  <%s>", name);
    for (; *text && n < sizeof line - 64; text++)
        n += put_escaped(line + n, sizeof line - n, *text);
    n += (size_t)base_format(line + n, sizeof line - n, "</%s>\n", name);
    write_quietly(fd, line, n);
}

void error_record(int type, const char *severity, const char *text, u32 nargs, const char *const *args)
{
    static const char head[] = "<error>\n", tail[] = "</error>\n";
    char number[24], path[4096];
    if (!error_file)
        return;
    base_format(path, sizeof path, error_file_unique ? "%s.%d" : "%s", error_file, getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    base_format(number, sizeof number, "%d", type);
    write_quietly(fd, head, sizeof head - 1);
    write_field(fd, "type", number);
    write_field(fd, "severity", severity);
    write_field(fd, "text", text);
    for (u32 i = 0; i < nargs; i++)
        write_field(fd, "arg", args[i]);
    write_quietly(fd, tail, sizeof tail - 1);
    close(fd);
}

static bool is_output_itself(int fd)
{
    struct stat out, it;
    return !fstat(STDOUT_FILENO, &out) && !fstat(fd, &it) && out.st_dev == it.st_dev && out.st_ino == it.st_ino;
}

static void append_to(const char *path, const char *line, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        return; /* the console has it */
    write_quietly(fd, line, n);
    close(fd);
}

/* As Pin writes it: "E: text" on standard output, and in the log with one more blank. */
static void report_as_pin(const char *class, const char *text)
{
    char line[4200];
    size_t n = (size_t)base_format(line, sizeof line, "%s: %s%s\n", class, pin_lead, text);
    write_quietly(STDOUT_FILENO, line, n);
    n = (size_t)base_format(line, sizeof line, "%s:  %s%s\n", class, pin_lead, text);
    append_to(error_log ? error_log : pin_log, line, n);
}

void report_error(const char *class, const char *text)
{
    if (pin_log)
        report_as_pin(class, text);
    else if (error_log)
        append_to(error_log, text, strlen(text)), append_to(error_log, "\n", 1);
    if (!pin_log || !is_output_itself(STDERR_FILENO))
        msg("%s", text);
}

void die(int status, const char *fmt, ...)
{
    char text[4096], all[4200];
    va_list ap;
    va_start(ap, fmt);
    base_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    report_error("E", text);
    base_format(all, sizeof all, "%s%s", pin_log ? pin_lead : "", text);
    error_record(0, "FATAL ERROR", all, 0, NULL);
    _exit(status);
}

void bug(const char *file, int line, const char *fmt, ...)
{
    static volatile int deep;
    va_list ap;
    va_start(ap, fmt);
    char text[1024];
    int n = base_format(text, sizeof text, "internal error at %s:%d: ", file, line);
    base_vformat(text + n, sizeof text - (size_t)n, fmt, ap);
    va_end(ap);
    report_error("A", text);
    if (bug_hook && !deep++)
        bug_hook();
    signal(SIGABRT, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGABRT);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(SIGABRT);
    _exit(134);
}

bool base_addresses(const char *word, struct addresses *to)
{
    char *middle, *end;
    *to = (struct addresses){strtoull(word, &middle, 0), 0};
    if (middle == word || *middle != ':')
        return false;
    to->end = strtoull(middle + 1, &end, 0);
    return end != middle + 1 && !*end && to->start <= to->end && to->end >> 47 == 0;
}
