/* SPDX-License-Identifier: Apache-2.0
 * See json.h. Made for files of 100 MB and more: nothing is copied, and what is not wanted is skipped byte by byte. */
#include "report/json.h"

#include <string.h>

static void fail(struct json *j, const char *why)
{
    if (!j->error)
        j->error = why;
    j->at = j->end;
}

static char peek(struct json *j)
{
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\r' || *j->at == '\t'))
        j->at++;
    return j->at < j->end ? *j->at : '\0';
}

bool json_enter(struct json *j, char open)
{
    if (peek(j) != open) {
        fail(j, open == '{' ? "an object is expected" : "an array is expected");
        return false;
    }
    j->at++;
    return true;
}

/* Between two elements, or before the first; false: at the end. */
static bool another(struct json *j, char close)
{
    char c = peek(j);
    if (c == close) {
        j->at++;
        return false;
    }
    if (c == ',') {
        j->at++;
        c = peek(j);
    }
    if (!c)
        fail(j, "the file ends too early");
    return c;
}

bool json_member(struct json *j, struct span *name)
{
    if (!another(j, '}'))
        return false;
    *name = json_text(j);
    if (peek(j) != ':') {
        fail(j, "a colon is expected");
        return false;
    }
    j->at++;
    return true;
}

bool json_element(struct json *j) { return another(j, ']'); }

/* Has the text what RFC 8259 allows in one? The page gets it as it is. */
static bool is_text(const char *at, const char *end)
{
    while (at < end) {
        if ((u8)*at < ' ')
            return false;
        if (*at++ != '\\')
            continue;
        if (*at == 'u' ? end - at < 5 || strspn(at + 1, "0123456789abcdefABCDEF") < 4 : !strchr("\"\\/bfnrt", *at))
            return false;
        at++;
    }
    return true;
}

struct span json_text(struct json *j)
{
    if (peek(j) != '"') {
        fail(j, "a text is expected");
        return (struct span){"", 0};
    }
    const char *start = ++j->at;
    for (;;) {
        const char *quote = memchr(j->at, '"', (size_t)(j->end - j->at));
        if (!quote) {
            fail(j, "a text does not end");
            return (struct span){"", 0};
        }
        const char *slash = quote;
        while (slash > start && slash[-1] == '\\')
            slash--;
        j->at = quote + 1;
        if ((quote - slash) % 2)
            continue;
        if (!is_text(start, quote))
            fail(j, "a text has a control character or an escape that JSON does not have");
        return (struct span){start, (size_t)(quote - start)};
    }
}

s64 json_number(struct json *j)
{
    char c = peek(j);
    bool negative = c == '-';
    u64 v = 0;
    j->at += negative;
    const char *start = j->at;
    for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++)
        v = v * 10 + (u64)(*j->at - '0');
    if (j->at == start)
        fail(j, "a number is expected");
    while (j->at < j->end && (*j->at == '.' || *j->at == 'e' || *j->at == 'E' || *j->at == '+' || *j->at == '-' ||
                              (*j->at >= '0' && *j->at <= '9')))
        j->at++; /* what is behind the point does not count */
    return negative ? -(s64)v : (s64)v;
}

bool json_true(struct json *j)
{
    struct span s = json_skip(j);
    return span_is(s, "true");
}

/* To the end of an object or an array. */
static void skip_nested(struct json *j)
{
    u32 depth = 0;
    do {
        char c = *j->at;
        if (c == '"') {
            json_text(j);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        j->at++;
    } while (depth && j->at < j->end);
    if (depth)
        fail(j, "the file ends too early");
}

struct span json_skip(struct json *j)
{
    char c = peek(j);
    const char *start = j->at;
    if (c == '"')
        json_text(j);
    else if (c == '{' || c == '[')
        skip_nested(j);
    else
        while (j->at < j->end && !strchr(",]} \n\r\t", *j->at))
            j->at++;
    if (j->at == start)
        fail(j, "a value is expected");
    return (struct span){start, (size_t)(j->at - start)};
}

static u32 hex4(const char *at)
{
    u32 n = 0;
    for (int i = 0; i < 4; i++)
        n = n << 4 | (at[i] <= '9' ? (u32)(at[i] - '0') : (u32)(at[i] | 0x20) - 'a' + 10);
    return n;
}

/* Behind the u of an escape; *at goes on to behind it, and behind a second one that belongs to it. 0: it is not a
 * character. */
static u32 code_point(const char **at, const char *end)
{
    u32 c = hex4(*at);
    *at += 4;
    if (c >> 11 != 0xd800 >> 11)
        return c;
    if (c >= 0xdc00 || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return 0;
    u32 low = hex4(*at + 2);
    *at += 6;
    return low >> 10 == 0xdc00 >> 10 ? 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff)) : 0;
}

static size_t put_utf8(char to[4], u32 c)
{
    size_t more = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
    static const u8 lead[] = {0, 0xc0, 0xe0, 0xf0};
    for (size_t i = more; i; i--, c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(lead[more] | c);
    return more + 1;
}

bool span_decode(struct span s, char *to, size_t room)
{
    static const char names[] = "bfnrt", values[] = "\b\f\n\r\t";
    const char *end = s.at + s.bytes, *name;
    char one[4];
    for (const char *at = s.at; at < end;) {
        u32 c = 0;
        size_t n = 1;
        one[0] = *at++;
        if (one[0] == '\\' && at < end && *at == 'u') {
            at++;
            if (!(c = code_point(&at, end)))
                return false;
            n = put_utf8(one, c);
        } else if (one[0] == '\\' && at < end) {
            name = strchr(names, *at);
            one[0] = name ? values[name - names] : *at;
            at++;
        }
        if (!one[0] || n >= room)
            return false;
        memcpy(to, one, n);
        to += n;
        room -= n;
    }
    if (!room)
        return false;
    *to = '\0';
    return true;
}

bool span_is(struct span s, const char *text)
{
    return s.bytes == strlen(text) && memcmp(s.at, text, s.bytes) == 0;
}
