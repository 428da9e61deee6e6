// SPDX-License-Identifier: Apache-2.0
// Results as text for a terminal: who and how it ended, tables sorted by the first number, sums.
#include "result.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

const ResultFormat result_formats[] = {{"text", result_write_text}, {"json", result_write_json}, {"csv", result_write_csv}, {"callgrind", result_write_callgrind},
    {"folded", result_write_folded}, {"speedscope", result_write_speedscope}, {"lcov", result_write_lcov}, {NULL, NULL}};

static std::string base_name(const std::string &path) { return path.substr(path.rfind('/') + 1); }

std::string result_routine_name(const Result &r, const ResultPlace &p)
{
    int image = p.routine >= 0 ? r.routines[size_t(p.routine)].image : p.image;
    std::string name = image >= 0 ? base_name(r.images[size_t(image)].name) : "";
    char text[32] = "";
    if (p.routine >= 0)
        return (image >= 0 ? name + ":" : "") + r.routines[size_t(p.routine)].name;
    if (p.address)
        snprintf(text, sizeof text, "%s0x%" PRIx64, image >= 0 ? "+" : "", p.address - (image >= 0 ? r.images[size_t(image)].low : 0));
    return image >= 0 || p.address ? name + text : "(no image)";
}

std::string result_place_name(const Result &r, const ResultPlace &p)
{
    std::string name = result_routine_name(r, p);
    return p.file < 0 ? name : name + " at " + base_name(r.files[size_t(p.file)]) + ":" + std::to_string(p.line);
}

static void print_end(FILE *out, const Result &r)
{
    if (r.end == "exit")
        fprintf(out, "status %d", r.status);
    else if (r.end == "signal")
        fprintf(out, "ended by signal %d (%s)", r.status, strsignal(r.status));
    else if (r.end == "exec")
        fprintf(out, "executed %s", r.executed.c_str());
    else
        fprintf(out, "%s", r.end == "dump" ? "so far" : r.end == "stop" ? "stopped by -stop_after" : "detached");
}

static std::string thread_name(const Result &r, int tid)
{
    auto named = r.threads.find(tid);
    return named == r.threads.end() ? "thread " + std::to_string(tid) : named->second;
}

static bool only_thread(const ResultPlace &p) { return p.tid >= 0 && p.image < 0 && p.routine < 0 && !p.address; }

std::string result_row_name(const Result &r, const ResultPlace &p)
{
    char address[32] = "";
    if (p.address)
        snprintf(address, sizeof address, "0x%" PRIx64, p.address);
    std::string name = p.tid >= 0 ? thread_name(r, p.tid) : "";
    for (const std::string &part : {std::string(address), only_thread(p) ? std::string() : result_place_name(r, p)})
        name += (name.empty() || part.empty() ? "" : " ") + part;
    return name;
}

// One or two metrics have wide columns, each with its share. More of them are as wide as they must be, and only the first one, by which rows are sorted, has a share.
static int metric_width(const Result &r, size_t metric)
{
    if (r.metrics.size() <= 2)
        return 15;
    return std::max(int(r.metrics[metric].name.size()) + 1, snprintf(NULL, 0, "%" PRIu64, r.totals[metric]) + 1);
}

static bool has_share(const Result &r, size_t metric) { return !metric || r.metrics.size() <= 2; }

static void print_row(FILE *out, const Result &r, const ResultRow &row)
{
    for (size_t i = 0; i < row.values.size(); i++) {
        fprintf(out, "%*" PRIu64 " ", metric_width(r, i), row.values[i]);
        if (has_share(r, i))
            fprintf(out, "%6.2f%% ", r.totals[i] ? 100.0 * double(row.values[i]) / double(r.totals[i]) : 0);
    }
    fprintf(out, " %s\n", result_row_name(r, row.place).c_str());
}

static void print_rows(FILE *out, const Result &r, unsigned top)
{
    if (r.rows.empty() || (r.rows.size() == 1 && only_thread(r.rows[0].place)))
        return; // a program without threads
    for (size_t i = 0; i < r.metrics.size(); i++)
        fprintf(out, "%*s %s", metric_width(r, i), r.metrics[i].name.c_str(), has_share(r, i) ? "        " : "");
    putc('\n', out);
    for (size_t i = 0; i < r.rows.size() && (!top || i < top); i++)
        print_row(out, r, r.rows[i]);
    if (top && r.rows.size() > top)
        fprintf(out, "%15zu more rows (-top 0 prints all)\n", r.rows.size() - top);
}

static void print_cell(FILE *out, const ResultCell &c, const std::string &kind, int width)
{
    if (c.is_text)
        fprintf(out, "%-*s", width, c.text.c_str());
    else if (kind == "percent")
        fprintf(out, "%*.3f%%", width - 1, c.number);
    else if (kind == "address")
        fprintf(out, "%#*" PRIx64, width, c.whole);
    else if (c.is_whole)
        fprintf(out, "%*" PRIu64, width, c.whole);
    else
        fprintf(out, "%*.6g", width, c.number);
}

static int cell_width(const ResultCell &c, const std::string &kind)
{
    return c.is_text ? int(c.text.size()) : kind == "percent" ? 8 : kind == "address" ? 14 : snprintf(NULL, 0, c.is_whole ? "%.0f" : "%.6g", c.number);
}

static void print_table(FILE *out, const ResultTable &t, unsigned top)
{
    size_t shown = top && t.rows.size() >= 25 && t.rows.size() > top ? top : t.rows.size();
    std::vector<int> width;
    for (size_t c = 0; c < t.columns.size(); c++) {
        width.push_back(int(t.columns[c].name.size()));
        for (size_t i = 0; i < shown; i++)
            width[c] = std::max(width[c], cell_width(t.rows[i][c], t.columns[c].kind));
    }
    fprintf(out, "\n%s\n", t.title.c_str());
    for (size_t c = 0; c < t.columns.size(); c++)
        fprintf(out, t.columns[c].kind == "text" ? "%s%-*s" : "%s%*s", c ? "  " : "", width[c], t.columns[c].name.c_str());
    putc('\n', out);
    for (size_t i = 0; i < shown; i++) {
        for (size_t c = 0; c < t.columns.size(); c++) {
            fputs(c ? "  " : "", out);
            print_cell(out, t.rows[i][c], t.columns[c].kind, width[c]);
        }
        putc('\n', out);
    }
    if (shown < t.rows.size())
        fprintf(out, "%zu more rows (-top 0 prints all)\n", t.rows.size() - shown);
}

// The innermost frame first, as people read stacks of errors.
static void print_stack(FILE *out, const Result &r, const ResultStack &s)
{
    fprintf(out, "%15" PRIu64 " %6.2f%% ", s.values[0], r.totals[0] ? 100.0 * double(s.values[0]) / double(r.totals[0]) : 0);
    if (s.tid >= 0)
        fprintf(out, " %s", thread_name(r, s.tid).c_str());
    for (size_t i = s.frames.size(); i--;)
        fprintf(out, i + 1 == s.frames.size() ? " %s\n" : "                             %s\n", result_place_name(r, r.frames[size_t(s.frames[i])]).c_str());
    if (s.frames.empty())
        fputs(" (no stack)\n", out);
}

static void print_stacks(FILE *out, const Result &r, unsigned top)
{
    size_t n = 0, all = 0;
    fprintf(out, "\n%s by call stack\n", r.metrics[0].name.c_str());
    for (const ResultStack &s : r.stacks) {
        all += s.values[0] != 0;
        if (s.values[0] && (!top || n < top))
            print_stack(out, r, s), n++;
    }
    if (n < all)
        fprintf(out, "%15zu more stacks (-top 0 prints all)\n", all - n);
}

static void print_finding(FILE *out, const Result &r, const ResultFinding &f)
{
    fprintf(out, "\n%s: %s", f.kind.c_str(), f.text.c_str());
    fprintf(out, f.count > 1 ? " (%" PRIu64 " times)\n" : "\n", f.count);
    for (const ResultTrail &t : f.stacks) {
        fprintf(out, "  %s\n", t.title.c_str());
        for (size_t i = t.frames.size(); i--;)
            fprintf(out, "    %s\n", result_place_name(r, r.frames[size_t(t.frames[i])]).c_str());
    }
}

void result_write_text(FILE *out, const Result &r, unsigned top)
{
    fprintf(out, "%s: %s, process %d, ", r.tool.c_str(), r.program.c_str(), r.pid);
    print_end(out, r);
    putc('\n', out);
    for (const std::string &note : r.notes)
        fprintf(out, "%s\n", note.c_str());
    print_rows(out, r, top);
    if (r.tells_stacks)
        print_stacks(out, r, top);
    for (const ResultTable &t : r.tables)
        print_table(out, t, top);
    for (const ResultFinding &f : r.findings)
        print_finding(out, r, f);
    if (!r.findings.empty())
        putc('\n', out);
    for (size_t i = 0; i < r.metrics.size(); i++)
        fprintf(out, "%s: %" PRIu64 "\n", r.metrics[i].name.c_str(), r.totals[i]);
}
