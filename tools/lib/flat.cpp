// SPDX-License-Identifier: Apache-2.0
// Results in the formats of other programs: csv for tables, folded stacks and speedscope for flame graphs, callgrind for KCachegrind and callgrind_annotate.
#include "result.h"

#include <algorithm>
#include <cinttypes>

static std::string csv_text(const std::string &s)
{
    std::string quoted = "\"";
    for (char c : s)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return s.find_first_of(",\"\n\r") == std::string::npos ? s : quoted + "\"";
}

static std::string file_of(const Result &r, const ResultPlace &p) { return p.file >= 0 ? r.files[size_t(p.file)] : ""; }
static int image_of(const Result &r, const ResultPlace &p) { return p.routine >= 0 ? r.routines[size_t(p.routine)].image : p.image; }
static std::string image_name(const Result &r, int image) { return image >= 0 ? r.images[size_t(image)].name : ""; }

static void csv_cell(FILE *out, const ResultCell &c)
{
    if (c.is_text)
        fputs(csv_text(c.text).c_str(), out);
    else if (c.is_whole)
        fprintf(out, "%" PRIu64, c.whole);
    else
        fprintf(out, "%.6g", c.number);
}

static void csv_table(FILE *out, const ResultTable &t)
{
    for (size_t c = 0; c < t.columns.size(); c++)
        fprintf(out, "%s%s", c ? "," : "", csv_text(t.columns[c].name).c_str());
    putc('\n', out);
    for (const auto &row : t.rows) {
        for (size_t c = 0; c < row.size(); c++) {
            fputs(c ? "," : "", out);
            csv_cell(out, row[c]);
        }
        putc('\n', out);
    }
}

// Rows if there are any; else the first table; else the totals.
void result_write_csv(FILE *out, const Result &r, unsigned)
{
    if (r.rows.empty() && !r.tables.empty()) {
        csv_table(out, r.tables[0]);
        return;
    }
    fputs("image,routine,file,line,address,tid", out);
    for (const ResultMetric &m : r.metrics)
        fprintf(out, ",%s", csv_text(m.name).c_str());
    putc('\n', out);
    for (const ResultRow &row : r.rows) {
        const ResultPlace &p = row.place;
        std::string routine = p.routine >= 0 ? r.routines[size_t(p.routine)].name : "";
        fprintf(out, "%s,%s,%s,", csv_text(image_name(r, image_of(r, p))).c_str(), csv_text(routine).c_str(), csv_text(file_of(r, p)).c_str());
        fprintf(out, p.line ? "%d," : ",", p.line);
        fprintf(out, p.address ? "0x%" PRIx64 "," : ",", p.address);
        fprintf(out, p.tid >= 0 ? "%d" : "", p.tid);
        for (uint64_t v : row.values)
            fprintf(out, ",%" PRIu64, v);
        putc('\n', out);
    }
    if (r.rows.empty()) {
        fputs(",,,,,", out);
        for (uint64_t v : r.totals)
            fprintf(out, ",%" PRIu64, v);
        putc('\n', out);
    }
}

// A line for each stack: routines from the outermost, and how much.
void result_write_folded(FILE *out, const Result &r, unsigned)
{
    std::map<std::string, uint64_t> sums;
    for (const ResultStack &s : r.stacks) {
        std::string line;
        for (int f : s.frames) {
            std::string name = result_routine_name(r, r.frames[size_t(f)]);
            std::replace(name.begin(), name.end(), ';', ':');
            line += (line.empty() ? "" : ";") + name;
        }
        sums[line] += s.values[0];
    }
    for (const auto &i : sums)
        if (i.second)
            fprintf(out, "%s %" PRIu64 "\n", i.first.c_str(), i.second);
}

// Frames are routines: call sites of one routine are one frame, so that a flame graph joins them.
void result_write_speedscope(FILE *out, const Result &r, unsigned)
{
    std::map<std::string, int> index;
    std::vector<const ResultPlace *> shown;
    std::vector<int> frame_of;
    for (const ResultPlace &p : r.frames) {
        auto at = index.emplace(result_routine_name(r, p), int(shown.size()));
        if (at.second)
            shown.push_back(&p);
        frame_of.push_back(at.first->second);
    }
    fprintf(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"linchpin\",\"name\":%s,\"shared\":{\"frames\":[", result_json_text(r.program).c_str());
    for (size_t i = 0; i < shown.size(); i++) {
        fprintf(out, "%s{\"name\":%s", i ? ",\n" : "\n", result_json_text(result_routine_name(r, *shown[i])).c_str());
        if (shown[i]->routine >= 0 && r.routines[size_t(shown[i]->routine)].file >= 0)
            fprintf(out, ",\"file\":%s,\"line\":%d", result_json_text(r.files[size_t(r.routines[size_t(shown[i]->routine)].file)]).c_str(), r.routines[size_t(shown[i]->routine)].line);
        putc('}', out);
    }
    fprintf(out, "]},\"profiles\":[");
    std::map<int, std::vector<const ResultStack *>> threads;
    for (const ResultStack &s : r.stacks)
        if (s.values[0])
            threads[s.tid].push_back(&s);
    const char *between = "";
    for (const auto &t : threads) {
        uint64_t total = 0;
        for (const ResultStack *s : t.second)
            total += s->values[0];
        fprintf(out, "%s{\"type\":\"sampled\",\"name\":%s,\"unit\":\"none\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[", between, result_json_text(r.metrics[0].name + ", thread " + std::to_string(t.first < 0 ? 0 : t.first)).c_str(), total);
        for (size_t i = 0; i < t.second.size(); i++) {
            fputs(i ? ",\n[" : "\n[", out);
            for (size_t k = 0; k < t.second[i]->frames.size(); k++)
                fprintf(out, "%s%d", k ? "," : "", frame_of[size_t(t.second[i]->frames[k])]);
            putc(']', out);
        }
        fputs("],\"weights\":[", out);
        for (size_t i = 0; i < t.second.size(); i++)
            fprintf(out, "%s%" PRIu64, i ? "," : "", t.second[i]->values[0]);
        fputs("]}", out);
        between = ",";
    }
    fputs("]}\n", out);
}

static std::string callgrind_event(const std::string &name)
{
    std::string event = name == "instructions" ? "Ir" : name;
    std::replace(event.begin(), event.end(), '-', '_');
    return event;
}

// A line of text has one line; words of a command may have more.
static std::string one_line(std::string text)
{
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

static std::string callgrind_file(const Result &r, int file) { return file >= 0 ? one_line(r.files[size_t(file)]) : "???"; }

// Where a routine's costs stand: object, file and function; "???" as callgrind itself has it. Readers tell functions apart by their file as well, so that is the routine's own.
static void callgrind_function(FILE *out, const Result &r, const char *prefix, int routine, int image, int file)
{
    std::string object = image_name(r, routine >= 0 ? r.routines[size_t(routine)].image : image);
    fprintf(out, "%sob=%s\n", prefix, object.empty() ? "???" : one_line(object).c_str());
    fprintf(out, "%s=%s\n", *prefix ? "cfi" : "fl", callgrind_file(r, routine >= 0 ? r.routines[size_t(routine)].file : file).c_str());
    fprintf(out, "%sfn=%s\n", prefix, routine >= 0 ? one_line(r.routines[size_t(routine)].name).c_str() : "???");
}

// The file of the next costs of a routine, where code of another file was inlined.
static void callgrind_inlined(FILE *out, const Result &r, int routine, int file)
{
    if (routine >= 0 && file != r.routines[size_t(routine)].file)
        fprintf(out, "fi=%s\n", callgrind_file(r, file).c_str());
}

static void callgrind_values(FILE *out, int line, const ResultValues &values)
{
    fprintf(out, "%d", line);
    for (uint64_t v : values)
        fprintf(out, " %" PRIu64, v);
    putc('\n', out);
}

void result_write_callgrind(FILE *out, const Result &r, unsigned)
{
    fprintf(out, "# callgrind format\nversion: 1\ncreator: linchpin %s\npid: %d\ncmd:", r.tool.c_str(), r.pid);
    for (const std::string &word : r.argv)
        fprintf(out, " %s", one_line(word).c_str());
    fputs("\npositions: line\nevents:", out);
    for (const ResultMetric &m : r.metrics)
        fprintf(out, " %s", callgrind_event(m.name).c_str());
    fputs("\nsummary:", out);
    for (uint64_t v : r.totals)
        fprintf(out, " %" PRIu64, v);
    fputs("\n\n", out);
    std::vector<const ResultRow *> rows;
    for (const ResultRow &row : r.rows)
        rows.push_back(&row);
    std::sort(rows.begin(), rows.end(), [](const ResultRow *a, const ResultRow *b) { return a->place < b->place; });
    for (const ResultRow *row : rows) {
        callgrind_function(out, r, "", row->place.routine, row->place.image, row->place.file);
        callgrind_inlined(out, r, row->place.routine, row->place.file);
        callgrind_values(out, row->place.line, row->values);
    }
    for (const ResultCall &c : r.calls) {
        int file = c.to >= 0 ? r.routines[size_t(c.to)].file : -1, line = c.to >= 0 ? r.routines[size_t(c.to)].line : 0;
        callgrind_function(out, r, "", c.from, c.site.image, c.site.file);
        callgrind_inlined(out, r, c.from, c.site.file);
        callgrind_function(out, r, "c", c.to, -1, file);
        fprintf(out, "calls=%" PRIu64 " %d\n", c.count, line);
        callgrind_values(out, c.site.line, c.values);
    }
}
