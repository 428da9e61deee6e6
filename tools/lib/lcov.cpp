// SPDX-License-Identifier: Apache-2.0
// Results as lcov's tracefile, which lcov, genhtml and most viewers of coverage read: for each source file its routines and lines, and how often each was executed.
#include "result.h"

#include <cinttypes>

static void write_routines(FILE *out, const Result &r, int file)
{
    uint64_t found = 0, hit = 0;
    for (const auto &i : r.entered)
        if (r.routines[size_t(i.first)].file == file)
            fprintf(out, "FN:%d,%s\n", r.routines[size_t(i.first)].line, r.routines[size_t(i.first)].name.c_str());
    for (const auto &i : r.entered) {
        if (r.routines[size_t(i.first)].file != file)
            continue;
        fprintf(out, "FNDA:%" PRIu64 ",%s\n", i.second, r.routines[size_t(i.first)].name.c_str());
        found++;
        hit += i.second != 0;
    }
    fprintf(out, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", found, hit);
}

static void write_file(FILE *out, const Result &r, int file)
{
    uint64_t found = 0, hit = 0;
    fprintf(out, "TN:\nSF:%s\n", r.files[size_t(file)].c_str());
    write_routines(out, r, file);
    for (auto i = r.lines.lower_bound({file, 0}); i != r.lines.end() && i->first.first == file; ++i) {
        fprintf(out, "DA:%d,%" PRIu64 "\n", i->first.second, i->second);
        found++;
        hit += i->second != 0;
    }
    fprintf(out, "LF:%" PRIu64 "\nLH:%" PRIu64 "\nend_of_record\n", found, hit);
}

void result_write_lcov(FILE *out, const Result &r, unsigned)
{
    for (size_t i = 0; i < r.files.size(); i++)
        if (r.lines.lower_bound({int(i), 0}) != r.lines.lower_bound({int(i) + 1, 0}))
            write_file(out, r, int(i));
}
