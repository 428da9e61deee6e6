// SPDX-License-Identifier: Apache-2.0
// Structures of system calls as text, with the names of their parts, as x86_64 has them. What has no text here is shown by its address.
#ifndef SYSCALLSTRUCTS_H
#define SYSCALLSTRUCTS_H
#include "syscallnames.h"

#include <signal.h>

static inline std::string QuotedText(const char *text, size_t bytes)
{
    std::string quoted = "\"";
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = static_cast<unsigned char>(text[i]);
        char octal[8];
        snprintf(octal, sizeof octal, "\\%03o", c);
        if (c == '"' || c == '\\')
            quoted += '\\';
        quoted += c == '\n' ? "\\n" : c == '\t' ? "\\t" : c < ' ' || c > '~' ? octal : std::string(1, char(c));
    }
    return quoted + "\"";
}

static inline std::string SignalSet(UINT64 set)
{
    const BOOL others = __builtin_popcountll(set) > 32;
    std::string text;
    for (int i = 1; i <= 64; i++)
        if (BOOL(set >> (i - 1) & 1) != others) {
            const char *name = i < 32 ? sigabbrev_np(i) : 0;
            text += (text.empty() ? "" : " ") + (name ? std::string(name) : i < 32 ? decstr(i) : i == 32 ? "RTMIN" : "RT_" + decstr(i - 32));
        }
    return (others ? "~[" : "[") + text + "]";
}

static inline std::string OctalText(UINT64 value)
{
    char text[32];
    snprintf(text, sizeof text, value ? "0%lo" : "0", value);
    return text;
}

static inline std::string FileMode(UINT32 mode) { return Named(file_names, mode & S_IFMT) + "|" + (mode & 0777 ? "" : "0") + OctalText(mode & 07777); }

static inline std::string Pair(const INT64 *p, const char *first, const char *second) { return std::string("{") + first + "=" + decstr(p[0]) + ", " + second + "=" + decstr(p[1]) + "}"; }
static inline std::string TimeSpec(const INT64 *p) { return Pair(p, "tv_sec", "tv_nsec"); }
static inline std::string TimeVal(const INT64 *p) { return Pair(p, "tv_sec", "tv_usec"); }
static inline std::string Limit(UINT64 n) { return n == ~UINT64(0) ? "RLIM64_INFINITY" : decstr(n); }

static inline std::string StatText(const struct stat &s)
{
    const BOOL device = S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode);
    char number[64];
    snprintf(number, sizeof number, "makedev(%#x, %#x)", UINT32(s.st_rdev >> 8 & 0xfff), UINT32((s.st_rdev & 0xff) | (s.st_rdev >> 12 & 0xfff00)));
    return "{st_mode=" + FileMode(s.st_mode) + (device ? std::string(", st_rdev=") + number : ", st_size=" + decstr(INT64(s.st_size))) + ", ...}";
}

static inline std::string StatxText(const struct statx &s)
{
    return "{stx_mask=" + Named(mask_names, s.stx_mask) + ", stx_mode=" + FileMode(s.stx_mode) + ", stx_size=" + decstr(UINT64(s.stx_size)) + ", ...}";
}

// As the kernel has it: handler, flags, restorer, mask.
static inline std::string ActionText(const UINT64 *p)
{
    std::string handler = p[0] == 0 ? "SIG_DFL" : p[0] == 1 ? "SIG_IGN" : hexstr(p[0]);
    return "{sa_handler=" + handler + ", sa_mask=" + SignalSet(p[3]) + ", sa_flags=" + Named(action_names, p[1]) + (p[1] & 0x4000000 ? ", sa_restorer=" + hexstr(p[2]) : "") + "}";
}

static inline std::string PollText(const struct pollfd &p, BOOL done)
{
    return "{fd=" + decstr(INT32(p.fd)) + ", events=" + Named(poll_names, UINT16(p.events)) + (done && p.revents ? ", revents=" + Named(poll_names, UINT16(p.revents)) : "") + "}";
}

static inline std::string EventText(const struct epoll_event &e) { return "{events=" + Named(epoll_names, e.events) + ", data=" + hexstr(UINT64(e.data.u64)) + "}"; }

// How a child has ended.
static inline std::string StatusText(INT32 s)
{
    if (WIFEXITED(s))
        return "[{WIFEXITED(s) && WEXITSTATUS(s) == " + decstr(INT32(WEXITSTATUS(s))) + "}]";
    const char *name = sigabbrev_np(WIFSTOPPED(s) ? WSTOPSIG(s) : WTERMSIG(s));
    return std::string(WIFSTOPPED(s) ? "[{WIFSTOPPED(s) && WSTOPSIG(s) == SIG" : "[{WIFSIGNALED(s) && WTERMSIG(s) == SIG") + (name ? name : "?") + "}]";
}

// One structure of the type; "": there is no text for it.
static inline std::string StructText(const std::string &type, const char *p, BOOL done)
{
    const INT64 *words = reinterpret_cast<const INT64 *>(p);
    if (type == "timespec" || type == "timespec64")
        return TimeSpec(words);
    if (type == "timeval")
        return TimeVal(words);
    if (type == "itimerval")
        return "{it_interval=" + TimeVal(words) + ", it_value=" + TimeVal(words + 2) + "}";
    if (type == "itimerspec" || type == "itimerspec64")
        return "{it_interval=" + TimeSpec(words) + ", it_value=" + TimeSpec(words + 2) + "}";
    if (type == "rlimit" || type == "rlimit64")
        return "{rlim_cur=" + Limit(UINT64(words[0])) + ", rlim_max=" + Limit(UINT64(words[1])) + "}";
    if (type == "rusage")
        return "{ru_utime=" + TimeVal(words) + ", ru_stime=" + TimeVal(words + 2) + ", ...}";
    if (type == "sigset")
        return SignalSet(UINT64(words[0]));
    if (type == "sigaction")
        return ActionText(reinterpret_cast<const UINT64 *>(p));
    if (type == "stack_t")
        return "{ss_sp=" + (words[0] ? hexstr(UINT64(words[0])) : "NULL") + ", ss_flags=" + Named(stack_names, UINT32(words[1])) + ", ss_size=" + decstr(UINT64(words[2])) + "}";
    if (type == "stat")
        return StatText(*reinterpret_cast<const struct stat *>(p));
    if (type == "statx")
        return StatxText(*reinterpret_cast<const struct statx *>(p));
    if (type == "pollfd")
        return PollText(*reinterpret_cast<const struct pollfd *>(p), done);
    if (type == "epoll_event")
        return EventText(*reinterpret_cast<const struct epoll_event *>(p));
    if (type == "utsname")
        return "{sysname=" + QuotedText(p, strnlen(p, 65)) + ", nodename=" + QuotedText(p + 65, strnlen(p + 65, 65)) + ", ...}";
    return "";
}

// An address of a socket; what is longer than any is cut off.
static inline std::string SocketText(const char *p, size_t bytes)
{
    sockaddr_storage a = {};
    bytes = std::min(bytes, sizeof a);
    memcpy(&a, p, bytes);
    std::string text = "{sa_family=" + Named(family_names, a.ss_family);
    char host[INET6_ADDRSTRLEN] = "";
    if (a.ss_family == AF_UNIX) {
        const char *path = reinterpret_cast<const sockaddr_un *>(&a)->sun_path;
        const size_t room = bytes > 2 ? bytes - 2 : 0;
        return text + (!room ? "" : *path ? ", sun_path=" + QuotedText(path, strnlen(path, room)) : ", sun_path=@" + QuotedText(path + 1, room - 1)) + "}";
    }
    if (a.ss_family == AF_INET) {
        const sockaddr_in *in = reinterpret_cast<const sockaddr_in *>(&a);
        inet_ntop(AF_INET, &in->sin_addr, host, sizeof host);
        return text + ", sin_port=htons(" + decstr(UINT32(ntohs(in->sin_port))) + "), sin_addr=inet_addr(\"" + host + "\")}";
    }
    if (a.ss_family == AF_INET6) {
        const sockaddr_in6 *in = reinterpret_cast<const sockaddr_in6 *>(&a);
        inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof host);
        return text + ", sin6_port=htons(" + decstr(UINT32(ntohs(in->sin6_port))) + "), sin6_addr=\"" + host + "\"}";
    }
    return text + ", ...}";
}

#endif
