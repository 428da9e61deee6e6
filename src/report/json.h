/* SPDX-License-Identifier: Apache-2.0
 * Reads JSON (RFC 8259) from memory, in the order in which it stands there, without building anything. A mistake stops
 * the reading: every function then returns false or 0, and `error` says why. */
#ifndef LP_REPORT_JSON_H
#define LP_REPORT_JSON_H
#include "base/base.h"

struct span {
    const char *at;
    size_t bytes;
};

struct json {
    const char *start, *at, *end;
    const char *error; /* NULL: none */
};

/* Begins an object or an array: '{' or '['. False: something else is there. */
bool json_enter(struct json *j, char open);
/* The next member of an object: its name, and j stands at its value. False: the object has ended. */
bool json_member(struct json *j, struct span *name);
/* Is there another element in the array? j stands at it then. */
bool json_element(struct json *j);
/* The bytes of a text between its quotes, escapes as they are. */
struct span json_text(struct json *j);
s64 json_number(struct json *j);
bool json_true(struct json *j);
/* The whole value, of whatever kind. */
struct span json_skip(struct json *j);
/* What a text of json_text says, its escapes resolved to UTF-8, with a 0 behind it. False: there is no room for all of
 * it, or it has what a text in memory cannot have: a 0, half a pair of surrogates. */
bool span_decode(struct span s, char *to, size_t room);
/* Does the text stand there? */
bool span_is(struct span s, const char *text);

#endif
