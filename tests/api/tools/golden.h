/* SPDX-License-Identifier: Apache-2.0
 * Shared by the golden tools: addresses of the guest's at_* labels, which tests/api/run.py passes as -set NAME=0xADDRESS, and printing. */
#ifndef GOLDEN_H
#define GOLDEN_H
#include "pin.H"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static KNOB<std::string> golden_settings(KNOB_MODE_APPEND, "pintool", "set", "", "NAME=VALUE");

static inline const char *option(const char *name)
{
    static std::string text;
    size_t n = std::strlen(name);
    for (UINT32 i = 0; i < golden_settings.NumberOfValues(); i++) {
        text = golden_settings.Value(i);
        if (!text.compare(0, n, name) && text[n] == '=')
            return text.c_str() + n + 1;
    }
    return 0;
}

/* 0: the guest has no such label. */
static inline ADDRINT at(const char *name)
{
    const char *v = option(name);
    return v ? std::strtoul(v, 0, 0) : 0;
}

static inline bool is_at(INS ins, const char *name) { return at(name) && INS_Address(ins) == at(name); }

/* From at_first up to, not including, at_last. */
static inline bool in_range(INS ins) { return INS_Address(ins) >= at("at_first") && INS_Address(ins) < at("at_last"); }

static inline void begin(int argc, char **argv)
{
    if (PIN_Init(argc, argv))
        std::exit(1);
}
#endif
