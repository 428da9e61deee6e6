/* SPDX-License-Identifier: Apache-2.0
 * For golden tools of what is code in headers: settings -NAME=VALUE are options of the tool, and gcov's counts are written at the end. */
#ifndef SETTINGS_H
#define SETTINGS_H
#include "golden.h"

extern "C" void __gcov_dump() __attribute__((weak));

static inline void dump_counts()
{
    if (__gcov_dump)
        __gcov_dump();
}

static inline void set_knobs()
{
    for (UINT32 i = 0; i < golden_settings.NumberOfValues(); i++) {
        std::string text = golden_settings.Value(i);
        size_t is = text.find('=');
        if (text[0] == '-')
            KNOB_BASE::FindKnob(text.substr(1, is - 1))->AddValue(text.substr(is + 1));
    }
}
#endif
