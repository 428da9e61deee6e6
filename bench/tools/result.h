/* SPDX-License-Identifier: Apache-2.0
 * What the tools of the benchmark share: the file for the result. */
#ifndef RESULT_H
#define RESULT_H
#include "pin.H"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

static KNOB<std::string> KnobOutput(KNOB_MODE_WRITEONCE, "pintool", "o", "/dev/stderr", "file for the result");

static VOID result_start(int argc, char **argv)
{
    if (PIN_Init(argc, argv)) {
        fprintf(stderr, "%s\n", KNOB_BASE::StringKnobSummary().c_str());
        exit(1);
    }
}

static VOID result_write(const char *what, UINT64 n)
{
    FILE *f = fopen(KnobOutput.Value().c_str(), "ae");
    if (!f)
        return;
    fprintf(f, "%s: %lu\n", what, n);
    fclose(f);
}

#endif
