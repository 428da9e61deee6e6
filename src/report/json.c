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
        if ((quote - slash) % 2 == 0)
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

bool span_is(struct span s, const char *text)
{
    return s.bytes == strlen(text) && memcmp(s.at, text, s.bytes) == 0;
}
