/* SPDX-License-Identifier: Apache-2.0
 * Words that were typed, and "did you mean": the distance between two words in letters put in, left out, changed or
 * swapped with a neighbour, and the nearest of several names. A name is near when at most a third of the word's
 * letters, and never more than three, are wrong. */
#include "base/suggest.h"

#include <string.h>

#define LONGEST 63u /* letters; longer names are cut */

static u32 least(u32 a, u32 b) { return a < b ? a : b; }
static char plain(char c) { return c == '_' ? '-' : c; }

bool option_is(const char *name, const char *word)
{
    for (; *name && plain(*name) == plain(*word); name++)
        word++;
    return !*name && !*word;
}

/* One row of the table of distances between the first i letters of a and the first k of b. */
static void next_row(u32 i, const char *a, const char *b, u32 nb, u32 row[3][LONGEST + 1])
{
    u32 *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (u32 k = 1; k <= nb; k++) {
        bool same = plain(a[i - 1]) == plain(b[k - 1]);
        now[k] = least(least(last[k], now[k - 1]) + 1, last[k - 1] + !same);
        if (i > 1 && k > 1 && plain(a[i - 1]) == plain(b[k - 2]) && plain(a[i - 2]) == plain(b[k - 1]))
            now[k] = least(now[k], before[k - 2] + 1);
    }
}

static u32 distance(const char *a, const char *b)
{
    u32 row[3][LONGEST + 1], na = (u32)strnlen(a, LONGEST), nb = (u32)strnlen(b, LONGEST);
    for (u32 k = 0; k <= nb; k++)
        row[0][k] = k;
    for (u32 i = 1; i <= na; i++)
        next_row(i, a, b, nb, row);
    return row[na % 3][nb];
}

struct suggestion suggest_for(const char *word)
{
    u32 letters = (u32)strlen(word + strspn(word, "-"));
    return (struct suggestion){word, NULL, least(letters < 3 ? 1 : letters / 3, 3) + 1};
}

void suggest_try(struct suggestion *s, const char *name)
{
    u32 d = distance(s->word, name);
    if (d >= s->distance)
        return;
    s->best = name;
    s->distance = d;
}
