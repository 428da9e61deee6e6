/* SPDX-License-Identifier: Apache-2.0
 * The log that a case and its parent share, and the buffers that the calls write to. */
#include "sys.h"

#include <linux/futex.h>

#define BUFFER_BYTES (BUFFER_PAGES * PAGE)
#define PATTERN 0xa5c3a5c3a5c3a5c3ul

static u64 noted[BUFFERS][BUFFER_BYTES / 8];

void say_clear(void)
{
    *(u64 *)LOG = 0;
}

void say(const char *text)
{
    u64 *used = (u64 *)LOG, n = __builtin_strlen(text);
    if (*used + n + 16 > LOG_BYTES)
        return;
    __builtin_memcpy((char *)LOG + 8 + *used, text, n + 1);
    *used += n;
}

static void say_digits(u64 value, u64 base)
{
    char text[24], *at = text + sizeof text - 1;
    *at = 0;
    do
        *--at = "0123456789abcdef"[value % base];
    while (value /= base);
    say(at);
}

void say_hex(u64 value)
{
    say_digits(value, 16);
}

void say_number(s64 value)
{
    if (value < 0)
        say("-");
    say_digits(value < 0 ? -(u64)value : (u64)value, 10);
}

u64 hash_bytes(u64 h, const void *from, size_t bytes)
{
    const u8 *p = from;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3;
    return h;
}

static u64 *buffer(int i)
{
    return (u64 *)(DATA + (u64)i * BUFFER_STRIDE);
}

void buffers_reset(void)
{
    for (int i = 0; i < BUFFERS; i++)
        for (u64 k = 0; k < BUFFER_BYTES / 8; k++)
            buffer(i)[k] = PATTERN;
}

void buffers_note(void)
{
    for (int i = 0; i < BUFFERS; i++)
        __builtin_memcpy(noted[i], buffer(i), BUFFER_BYTES);
}

/* Process numbers in it, perhaps with the bits of a futex, are not the same twice. */
static void hide_numbers(u8 *p)
{
    const u32 numbers[3] = {(u32)st.pid, (u32)st.parent, (u32)st.child};
    for (u64 k = 0; k + 4 <= BUFFER_BYTES; k++) {
        u32 v;
        __builtin_memcpy(&v, p + k, 4);
        for (u32 n = 0; n < 3; n++)
            if ((v & FUTEX_TID_MASK) == numbers[n] && numbers[n]) {
                v = (v & ~FUTEX_TID_MASK) | (0x2eeeeee0 + n);
                __builtin_memcpy(p + k, &v, 4);
            }
    }
}

static bool is_hex(u8 c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Nor are the device and the inode in a line of /proc/self/maps (" 00:2c 313229   "). */
static void hide_inodes(u8 *p)
{
    for (u64 k = 0; k + 8 <= BUFFER_BYTES; k++) {
        bool device = p[k] == ' ' && is_hex(p[k + 1]) && is_hex(p[k + 2]) && p[k + 3] == ':' && is_hex(p[k + 4]) && is_hex(p[k + 5]) && p[k + 6] == ' ';
        for (k += device; device && k < BUFFER_BYTES && (is_hex(p[k]) || p[k] == ':' || p[k] == ' '); k++)
            p[k] = '.';
    }
}

u64 buffers_hash(void)
{
    u64 h = 0xcbf29ce484222325;
    for (int i = 0; i < BUFFERS; i++) {
        hide_numbers((u8 *)buffer(i));
        hide_inodes((u8 *)buffer(i));
        for (u64 k = 0; k < BUFFER_BYTES / 8; k++)
            h = (h ^ buffer(i)[k]) * 0x100000001b3 + (h >> 29);
    }
    return h;
}

/* Has the call left alone what is not within a page behind one of its arguments? */
bool buffers_guarded(const struct call *c)
{
    for (int i = 0; i < BUFFERS; i++)
        for (u64 k = 0; k < BUFFER_BYTES / 8; k++) {
            u64 at = (u64)&buffer(i)[k];
            bool given = buffer(i)[k] == noted[i][k];
            for (int n = 0; n < 6 && !given; n++)
                given = at + 8 > c->arg[n] && at < c->arg[n] + PAGE;
            if (!given)
                return false;
        }
    return true;
}
