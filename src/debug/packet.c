/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. The frame of a packet: $ text # checksum, acknowledged unless the debugger does not want that. Owns the
 * connection and its buffers. Bytes that belong to no packet are dropped; a packet that is too long or whose sum is
 * wrong is asked for again. On the debugger's thread, but for packet_notify, which takes the lock of sending. */
#include "debug/stub.h"

#include "os/debugport.h"
#include "os/hostlock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BREAK 0x03
#define ESCAPE '}'
#define ESCAPED 0x20

static int conn = -1;
static bool acks = true;
static char in[PACKET_MOST + 64];
static size_t in_bytes, in_at;
static char data[PACKET_MOST + 1];
static char out[2 * PACKET_MOST + 64];
static size_t out_bytes;
static struct hostlock sending = HOSTLOCK(LOCK_DEBUG);

int packet_fd(void) { return __atomic_load_n(&conn, __ATOMIC_ACQUIRE); }
void packet_no_acks(void) { acks = false; }
bool packet_has_acks(void) { return acks; }

void packet_open(int fd)
{
    in_bytes = in_at = 0;
    acks = true;
    __atomic_store_n(&conn, fd, __ATOMIC_RELEASE);
}

void packet_inherit(void)
{
    in_bytes = in_at = 0;
    hostlock_reset(&sending);
}

void packet_close(void)
{
    int fd = __atomic_exchange_n(&conn, -1, __ATOMIC_ACQ_REL);
    debugport_close(fd);
}

/* --- out ---------------------------------------------------------------------------------------------------------- */

void reply_begin(void) { out_bytes = 0; }
size_t reply_room(void) { return sizeof out - out_bytes; }

static void put(char c)
{
    if (out_bytes < sizeof out)
        out[out_bytes++] = c;
}

void reply_bytes(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        char c = ((const char *)from)[i];
        bool special = c == '#' || c == '$' || c == ESCAPE || c == '*';
        if (special)
            put(ESCAPE);
        put(special ? c ^ ESCAPED : c);
    }
}

void reply_text(const char *form, ...)
{
    char text[512];
    va_list list;
    va_start(list, form);
    int n = vsnprintf(text, sizeof text, form, list);
    va_end(list);
    for (int i = 0; i < n && i < (int)sizeof text - 1; i++)
        put(text[i]);
}

void reply_hex(const void *from, size_t bytes)
{
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes; i++) {
        u8 v = ((const u8 *)from)[i];
        put(digit[v >> 4]);
        put(digit[v & 15]);
    }
}

static bool send_packet(const char *text, size_t bytes)
{
    char end[8];
    u8 sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (u8)(sum + (u8)text[i]);
    snprintf(end, sizeof end, "#%02x", sum);
    hostlock_take(&sending);
    int fd = packet_fd();
    bool ok = fd >= 0 && debugport_write(fd, "$", 1) && debugport_write(fd, text, bytes) && debugport_write(fd, end, 3);
    hostlock_give(&sending);
    return ok;
}

bool reply_send(void) { return send_packet(out, out_bytes); }
bool packet_notify(const char *text) { return send_packet(text, strlen(text)); }

void packet_print(const char *text, size_t bytes)
{
    char *packet = malloc(2 * bytes + 2);
    if (!packet)
        return;
    packet[0] = 'O';
    for (size_t i = 0; i < bytes; i++)
        snprintf(packet + 1 + 2 * i, 3, "%02x", (u8)text[i]);
    send_packet(packet, 2 * bytes + 1);
    free(packet);
}

/* --- in ----------------------------------------------------------------------------------------------------------- */

bool packet_waits(void) { return in_at < in_bytes; }

static bool fill(void)
{
    s64 n = debugport_read(packet_fd(), in, sizeof in);
    in_at = 0;
    in_bytes = n > 0 ? (size_t)n : 0;
    return n > 0;
}

/* The next byte; -1: the connection is gone. */
static int next(void)
{
    if (in_at == in_bytes && !fill())
        return -1;
    return (u8)in[in_at++];
}

static int digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void acknowledge(bool good)
{
    if (acks && packet_fd() >= 0)
        debugport_write(packet_fd(), good ? "+" : "-", 1);
}

/* After the $. Bytes of data, -1: the connection is gone, -2: it is no good, and is asked for again. */
static s64 read_data(void)
{
    size_t n = 0;
    u8 sum = 0;
    int c, last = 0;
    bool fits = true;
    while ((c = next()) >= 0 && c != '#') {
        if (c == '$') { /* a new one begins */
            n = 0, sum = 0, last = 0, fits = true;
            continue;
        }
        sum = (u8)(sum + (u8)c);
        if (last != ESCAPE && c == ESCAPE) {
            last = c;
            continue;
        }
        fits &= n < PACKET_MOST;
        if (fits)
            data[n++] = (char)(last == ESCAPE ? c ^ ESCAPED : c);
        last = 0;
    }
    int high = c < 0 ? -1 : next(), low = high < 0 ? -1 : next();
    if (low < 0)
        return -1;
    bool good = fits && digit(high) >= 0 && digit(low) >= 0 && digit(high) << 4 == (sum & 0xf0) &&
                digit(low) == (sum & 15);
    data[n] = 0;
    acknowledge(good);
    return good ? (s64)n : -2;
}

enum packet_kind packet_read(char **to, size_t *bytes)
{
    int c = next();
    if (c < 0)
        return PACKET_GONE;
    if (c == BREAK)
        return PACKET_BREAK;
    if (c == '-') { /* the last answer is wanted again */
        reply_send();
        return PACKET_NONE;
    }
    if (c != '$')
        return PACKET_NONE;
    s64 n = read_data();
    *to = data;
    *bytes = n > 0 ? (size_t)n : 0;
    return n == -1 ? PACKET_GONE : n == -2 ? PACKET_NONE : PACKET_DATA;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

bool take_hex(const char **at, u64 *v)
{
    const char *start = *at;
    *v = 0;
    while (digit(**at) >= 0)
        *v = *v << 4 | (u64)digit(*(*at)++);
    return *at != start;
}

size_t take_bytes(const char *at, void *to, size_t most)
{
    size_t n = 0;
    while (n < most && digit(at[0]) >= 0 && digit(at[1]) >= 0) {
        ((u8 *)to)[n++] = (u8)(digit(at[0]) << 4 | digit(at[1]));
        at += 2;
    }
    return n;
}

bool take_char(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}
