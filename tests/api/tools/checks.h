/* SPDX-License-Identifier: Apache-2.0
 * For tools that check by themselves: EQUAL(what is got, what it must be) prints a line only when they differ; Checked() how many there were. */
#ifndef CHECKS_H
#define CHECKS_H
#include "golden.h"

#include <iostream>
#include <sstream>

template <int n> static std::ostream &operator<<(std::ostream &out, INDEX<n>) { return out << "another handle"; }

static unsigned checks_done, checks_wrong;

template <typename T, typename U> static void Equal(const char *what, int line, const T &got, const U &wanted)
{
    checks_done++;
    if (got == static_cast<T>(wanted))
        return;
    checks_wrong++;
    std::ostringstream out;
    out << "line " << line << ": " << what << " is " << got << ", not " << wanted << "\n";
    std::printf("%s", out.str().c_str());
}
#define EQUAL(got, wanted) Equal(#got, __LINE__, got, wanted)
#define TRUE_(got) Equal(#got, __LINE__, bool(got), true)
#define FALSE_(got) Equal(#got, __LINE__, bool(got), false)

static inline void Checked(const char *name, unsigned at_least)
{
    std::printf("%s: %s\n", name, checks_wrong ? "wrong" : checks_done >= at_least ? "right" : "too little was checked");
}
#endif
