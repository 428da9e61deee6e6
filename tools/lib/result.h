/* SPDX-License-Identifier: Apache-2.0
 * The results of a tool, as all formats show them: what was counted, where, and everything else in tables (docs/formats.md has the words). A tool fills a Result and gives it to
 * result_write. Nothing here knows Pin: where.h makes places of addresses. */
#ifndef RESULT_H
#define RESULT_H
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

typedef std::vector<uint64_t> ResultValues;

struct ResultMetric {
    std::string name, unit, what;
};

struct ResultImage {
    std::string name;
    uint64_t low, high;
    bool main;
};

/* Indexes are -1 where nothing is known. */
struct ResultRoutine {
    std::string name;
    int image;
    uint64_t address;
    int file, line;
};

/* What a count belongs to; what it is not told apart by is -1 (address: 0). */
struct ResultPlace {
    int image, routine, file, line;
    uint64_t address;
    int tid;

    ResultPlace() : image(-1), routine(-1), file(-1), line(0), address(0), tid(-1) {}
    bool operator<(const ResultPlace &b) const
    {
        return image != b.image ? image < b.image : routine != b.routine ? routine < b.routine : file != b.file ? file < b.file : line != b.line ? line < b.line :
            address != b.address ? address < b.address : tid < b.tid;
    }
};

struct ResultRow {
    ResultPlace place;
    ResultValues values;
};

struct ResultStack {
    std::vector<int> frames; /* indexes, the outermost first */
    bool cut;
    int tid;
    ResultValues values;
};

struct ResultCall {
    int from, to; /* routines */
    ResultPlace site;
    uint64_t count;
    ResultValues values;
};

struct ResultSeries {
    std::string name, kind; /* "": how many in each step; "level": how much there was at its end */
    ResultValues values;
};

struct ResultTimeline {
    std::string unit;
    uint64_t step;
    std::vector<ResultSeries> series;

    ResultTimeline() : step(0) {}
};

/* A cell of a table. */
struct ResultCell {
    std::string text;
    uint64_t whole;
    double number;
    bool is_text, is_whole;

    ResultCell(const std::string &text) : text(text), whole(0), number(0), is_text(true), is_whole(false) {}
    ResultCell(const char *text) : text(text), whole(0), number(0), is_text(true), is_whole(false) {}
    ResultCell(uint64_t n) : whole(n), number(double(n)), is_text(false), is_whole(true) {}
    ResultCell(double n) : whole(0), number(n), is_text(false), is_whole(false) {}
};

struct ResultColumn {
    std::string name, kind;
};

struct ResultTable {
    std::string title, chart;
    std::vector<ResultColumn> columns;
    std::vector<std::vector<ResultCell>> rows;
};

struct ResultTrail {
    std::string title;
    std::vector<int> frames; /* the outermost first */
};

struct ResultFinding {
    std::string kind, text;
    uint64_t count;
    std::vector<ResultTrail> stacks;
};

struct Result {
    std::string tool, program, end, executed, options;
    std::vector<std::string> argv, notes;
    int pid, status;
    std::vector<ResultMetric> metrics;
    ResultValues totals;
    std::vector<ResultImage> images;
    std::vector<std::string> files;
    std::vector<ResultRoutine> routines;
    std::vector<ResultRow> rows;
    std::map<int, std::string> threads; /* names of those that have one */
    std::vector<ResultPlace> frames;
    std::vector<ResultStack> stacks;
    std::vector<ResultCall> calls;
    ResultTimeline timeline;
    std::vector<ResultTable> tables;
    std::vector<ResultFinding> findings;
    std::map<uint64_t, std::string> disassembly;
    std::map<std::pair<int, int>, uint64_t> lines; /* for lcov: file and line, how often */
    std::map<int, uint64_t> entered;               /* the same for routines */
    bool tells_stacks;                             /* the text form prints them */

    Result() : pid(0), status(0), tells_stacks(false) {}
};

/* A writer of one format; `top`: at most so many rows in what a person reads, 0: all. */
typedef void (*ResultWriter)(FILE *out, const Result &result, unsigned top);

struct ResultFormat {
    const char *name;
    ResultWriter write;
};

/* All formats; the last one has no name. */
extern const ResultFormat result_formats[];

void result_write_text(FILE *out, const Result &result, unsigned top);
void result_write_csv(FILE *out, const Result &result, unsigned top);
void result_write_folded(FILE *out, const Result &result, unsigned top);
void result_write_speedscope(FILE *out, const Result &result, unsigned top);
void result_write_callgrind(FILE *out, const Result &result, unsigned top);
void result_write_lcov(FILE *out, const Result &result, unsigned top);
void result_write_json(FILE *out, const Result &result, unsigned top);

/* A text of JSON, with its quotes. */
std::string result_json_text(const std::string &text);
/* image:routine, image+offset, or the bare address; the same with file:line. */
std::string result_routine_name(const Result &result, const ResultPlace &place);
std::string result_place_name(const Result &result, const ResultPlace &place);
/* With thread and address, if the place has them. */
std::string result_row_name(const Result &result, const ResultPlace &place);

#endif
