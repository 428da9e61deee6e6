/* SPDX-License-Identifier: Apache-2.0
 * Formatting without libc state, messages, and the end of the process on our own bugs. Async-signal-safe throughout. */
#include "base/base.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int msg_fd = 2;
int (*msg_find)(bool *close_after);
int log_level;
void (*bug_hook)(void);

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

static void vmsg(const char *lead, const char *fmt, va_list ap)
{
    if (msg_fd == -1)
        return;
    char line[4096];
    int saved = errno;
    bool close_after = false;
    int fd = msg_fd != MSG_FIND ? msg_fd : msg_find(&close_after);
    int n = base_format(line, sizeof line - 1, "linchpin: %s", lead);
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
    vmsg("", fmt, ap);
    va_end(ap);
}

void die(int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vmsg("", fmt, ap);
    va_end(ap);
    _exit(status);
}

void bug(const char *file, int line, const char *fmt, ...)
{
    static volatile int deep;
    va_list ap;
    va_start(ap, fmt);
    char lead[256];
    base_format(lead, sizeof lead, "internal error at %s:%d: ", file, line);
    vmsg(lead, fmt, ap);
    va_end(ap);
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
