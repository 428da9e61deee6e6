/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. Files that the debugger reads through the stub (vFile, DB14), for what it wants to know of the process
 * (`info proc`, `gcore`) and, from another machine, for programs and their symbols. Nothing is written. */
#include "debug/stub.h"

#include "os/debugport.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define READ_ONLY 0u           /* of the protocol's flags */
#define MOST_PLAIN_ERROR 30    /* up to there the protocol has the system's numbers */
#define PROTOCOL_NAME_TOO_LONG 91u
#define PROTOCOL_UNKNOWN 9999u

static void reply_result(s64 result)
{
    u64 why = (u64)-result;
    reply_begin();
    if (result >= 0) {
        reply_text("F%lx", (u64)result);
        return;
    }
    if (why > MOST_PLAIN_ERROR)
        why = why == ENAMETOOLONG ? PROTOCOL_NAME_TOO_LONG : PROTOCOL_UNKNOWN;
    reply_text("F-1,%lx", why);
}

static void reply_data(s64 result, const void *data)
{
    reply_result(result);
    if (result >= 0) {
        reply_text(";");
        reply_bytes(data, (size_t)result);
    }
    reply_send();
}

static bool take_path(const char **at, char path[PATH_MAX])
{
    size_t n = take_bytes(*at, path, PATH_MAX - 1);
    path[n] = 0;
    *at += 2 * n;
    return n && !memchr(path, 0, n);
}

/* gdb asks so to find out whether programs and libraries are to be read through the connection. They are this machine's
 * unless it may be on another one: gdb reads them faster by itself. */
static bool is_probe(const char *path) { return !strcmp(path, "just probing") && !debug_mode.remote; }

static void open_file(const char *at)
{
    char path[PATH_MAX];
    u64 flags;
    bool good = take_path(&at, path) && take_char(&at, ',') && take_hex(&at, &flags);
    if (good && is_probe(path)) {
        reply_begin();
        reply_send();
        return;
    }
    reply_result(!good ? -EINVAL : flags != READ_ONLY ? -EROFS : debugport_file_open(path));
    reply_send();
}

static void close_file(const char *at)
{
    u64 file;
    reply_result(take_hex(&at, &file) && file < DEBUGPORT_FILES ? debugport_file_close((u32)file) : -EBADF);
    reply_send();
}

static void read_file(const char *at)
{
    static char buffer[PACKET_MOST / 2]; /* escaped it may be twice as long */
    u64 file, bytes, from;
    bool good = take_hex(&at, &file) && take_char(&at, ',') && take_hex(&at, &bytes) && take_char(&at, ',') &&
                take_hex(&at, &from);
    if (!good || file >= DEBUGPORT_FILES) {
        reply_data(good ? -EBADF : -EINVAL, NULL);
        return;
    }
    bytes = bytes < sizeof buffer ? bytes : sizeof buffer;
    reply_data(debugport_file_read((u32)file, from, buffer, bytes), buffer);
}

/* Numbers in the protocol's structures have their high byte first. */
static void put_number(u8 **at, u64 v, u32 bytes)
{
    while (bytes)
        *(*at)++ = (u8)(v >> 8 * --bytes);
}

static void stat_file(const char *at)
{
    struct debugport_stat s;
    u8 data[64], *to = data;
    u64 file;
    int r = take_hex(&at, &file) && file < DEBUGPORT_FILES ? debugport_file_stat((u32)file, &s) : -EBADF;
    if (r) {
        reply_data(r, NULL);
        return;
    }
    const u32 first[] = {s.device, s.inode, s.mode, s.links, s.user, s.group, s.special};
    const u32 last[] = {s.accessed, s.modified, s.changed};
    for (u32 i = 0; i < ARRAY_LEN(first); i++)
        put_number(&to, first[i], 4);
    put_number(&to, s.size, 8);
    put_number(&to, s.block_bytes, 8);
    put_number(&to, s.blocks, 8);
    for (u32 i = 0; i < ARRAY_LEN(last); i++)
        put_number(&to, last[i], 4);
    reply_data(sizeof data, data);
}

static void read_link(const char *at)
{
    char path[PATH_MAX], to[PATH_MAX];
    reply_data(take_path(&at, path) ? debugport_readlink(path, to, sizeof to) : -EINVAL, to);
}

/* The process whose file system is meant: there is one. */
static void choose_system(const char *at)
{
    (void)at;
    reply_result(0);
    reply_send();
}

static const struct {
    const char *name;
    void (*f)(const char *at);
} operations[] = {
    {"setfs:", choose_system}, {"open:", open_file}, {"close:", close_file}, {"pread:", read_file},
    {"fstat:", stat_file},     {"readlink:", read_link},
};

void file_packet(const char *text)
{
    for (u32 i = 0; i < ARRAY_LEN(operations); i++) {
        size_t n = strlen(operations[i].name);
        if (!strncmp(text, operations[i].name, n)) {
            operations[i].f(text + n);
            return;
        }
    }
    reply_begin();
    reply_send();
}
