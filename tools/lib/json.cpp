// SPDX-License-Identifier: Apache-2.0
// Results as JSON (docs/formats.md). Written member by member, without a tree in memory: results may be large.
#include "result.h"

#include <cinttypes>

// How many bytes at i are a character of UTF-8; 0: none is. Neither longer than it must be, nor a surrogate.
static size_t character(const std::string &s, size_t i)
{
    auto at = [&](size_t k) { return i + k < s.size() ? (unsigned char)s[i + k] : 0u; };
    unsigned first = at(0), low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80, high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    size_t n = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
    if (n > 1 && (at(1) < low || at(1) > high))
        return 0;
    for (size_t k = 2; k < n; k++)
        if ((at(k) & 0xc0) != 0x80)
            return 0;
    return n;
}

// Bytes that are no UTF-8 (names of files) become U+FFFD: a reader would refuse the whole file.
std::string result_json_text(const std::string &s)
{
    std::string quoted = "\"";
    for (size_t i = 0, n; i < s.size(); i += n ? n : 1) {
        unsigned char c = (unsigned char)s[i];
        char code[8];
        n = character(s, i);
        if (!n)
            quoted += "\xef\xbf\xbd";
        else if (c == '"' || c == '\\')
            quoted += std::string("\\") + char(c);
        else if (c < 0x20 || c == 0x7f) {
            snprintf(code, sizeof code, "\\u%04x", c);
            quoted += code;
        } else
            quoted.append(s, i, n);
    }
    return quoted + "\"";
}

static void text(FILE *out, const std::string &s)
{
    std::string quoted = result_json_text(s);
    fwrite(quoted.data(), 1, quoted.size(), out);
}

// The members of an object, with commas between them.
class Object
{
  public:
    explicit Object(FILE *out) : out(out), first(true) { putc('{', out); }
    ~Object() { putc('}', out); }
    FILE *Name(const char *name)
    {
        fprintf(out, "%s\"%s\":", first ? "" : ",", name);
        first = false;
        return out;
    }
    void Text(const char *name, const std::string &value) { text(Name(name), value); }
    void TextIf(const char *name, const std::string &value)
    {
        if (!value.empty())
            Text(name, value);
    }
    void Number(const char *name, uint64_t value) { fprintf(Name(name), "%" PRIu64, value); }
    void NumberIf(const char *name, uint64_t value)
    {
        if (value)
            Number(name, value);
    }
    void IndexIf(const char *name, int value)
    {
        if (value >= 0)
            fprintf(Name(name), "%d", value);
    }

  private:
    FILE *out;
    bool first;
};

template <class Items, class Write> static void list(FILE *out, const Items &items, Write write)
{
    const char *between = "";
    putc('[', out);
    for (const auto &item : items) {
        fputs(between, out);
        write(item);
        between = ",";
    }
    putc(']', out);
}

// A list of objects, one on each line, so that a person can look into it.
template <class Items, class Write> static void lines(FILE *out, Object &whole, const char *name, const Items &items, Write write)
{
    if (items.empty())
        return;
    whole.Name(name);
    const char *between = "[\n";
    for (const auto &item : items) {
        fputs(between, out);
        write(item);
        between = ",\n";
    }
    fputs("]\n", out);
}

static void numbers(FILE *out, const ResultValues &values)
{
    list(out, values, [&](uint64_t v) { fprintf(out, "%" PRIu64, v); });
}
static void indexes(FILE *out, const std::vector<int> &values)
{
    list(out, values, [&](int v) { fprintf(out, "%d", v); });
}
static void texts(FILE *out, const std::vector<std::string> &values)
{
    list(out, values, [&](const std::string &v) { text(out, v); });
}

static void place(Object &o, const ResultPlace &p)
{
    o.IndexIf("image", p.image);
    o.IndexIf("routine", p.routine);
    o.IndexIf("file", p.file);
    o.NumberIf("line", uint64_t(p.line));
    o.NumberIf("address", p.address);
    o.IndexIf("tid", p.tid);
}

static void head(Object &o, FILE *out, const Result &r)
{
    o.Text("format", "linchpin-result");
    o.Number("version", 1);
    o.Text("tool", r.tool);
    o.Number("pid", uint64_t(r.pid));
    o.Text("program", r.program);
    texts(o.Name("argv"), r.argv);
    o.Text("end", r.end);
    fprintf(o.Name("status"), "%d", r.status);
    o.TextIf("executed", r.executed);
    o.TextIf("options", r.options);
    if (!r.notes.empty())
        texts(o.Name("notes"), r.notes);
    list(o.Name("metrics"), r.metrics, [&](const ResultMetric &m) {
        Object metric(out);
        metric.Text("name", m.name);
        metric.Text("unit", m.unit);
        metric.Text("what", m.what);
    });
    numbers(o.Name("totals"), r.totals);
}

static void names(Object &o, FILE *out, const Result &r)
{
    lines(out, o, "images", r.images, [&](const ResultImage &i) {
        Object image(out);
        image.Text("name", i.name);
        image.Number("low", i.low);
        image.Number("high", i.high);
        if (i.main)
            fputs("true", image.Name("main"));
    });
    lines(out, o, "files", r.files, [&](const std::string &f) { text(out, f); });
    lines(out, o, "routines", r.routines, [&](const ResultRoutine &i) {
        Object routine(out);
        routine.Text("name", i.name);
        routine.IndexIf("image", i.image);
        routine.NumberIf("address", i.address);
        routine.IndexIf("file", i.file);
        routine.NumberIf("line", uint64_t(i.line));
    });
    if (r.threads.empty())
        return;
    lines(out, o, "threads", r.threads, [&](const std::pair<const int, std::string> &i) {
        Object thread(out);
        thread.IndexIf("tid", i.first);
        thread.Text("name", i.second);
    });
}

static void counts(Object &o, FILE *out, const Result &r)
{
    lines(out, o, "rows", r.rows, [&](const ResultRow &i) {
        Object row(out);
        place(row, i.place);
        numbers(row.Name("values"), i.values);
    });
    lines(out, o, "frames", r.frames, [&](const ResultPlace &p) {
        Object frame(out);
        place(frame, p);
    });
    lines(out, o, "stacks", r.stacks, [&](const ResultStack &i) {
        Object stack(out);
        indexes(stack.Name("frames"), i.frames);
        if (i.cut)
            fputs("true", stack.Name("cut"));
        stack.IndexIf("tid", i.tid);
        numbers(stack.Name("values"), i.values);
    });
    lines(out, o, "calls", r.calls, [&](const ResultCall &i) {
        Object call(out);
        call.IndexIf("from", i.from);
        call.IndexIf("to", i.to);
        ResultPlace site = i.site;
        site.image = site.routine = -1; // from has them
        place(call, site);
        call.Number("count", i.count);
        numbers(call.Name("values"), i.values);
    });
}

static void timeline(Object &o, FILE *out, const ResultTimeline &t)
{
    if (t.series.empty())
        return;
    o.Name("timeline");
    Object line(out);
    line.Text("unit", t.unit);
    line.Number("step", t.step);
    list(line.Name("series"), t.series, [&](const ResultSeries &i) {
        Object series(out);
        series.Text("name", i.name);
        series.TextIf("kind", i.kind);
        numbers(series.Name("values"), i.values);
    });
}

static void cell(FILE *out, const ResultCell &c)
{
    if (c.is_text)
        text(out, c.text);
    else if (c.is_whole)
        fprintf(out, "%" PRIu64, c.whole);
    else
        fprintf(out, "%.6g", c.number);
}

static void table(FILE *out, const ResultTable &t)
{
    Object o(out);
    o.Text("title", t.title);
    o.TextIf("chart", t.chart);
    list(o.Name("columns"), t.columns, [&](const ResultColumn &c) {
        Object column(out);
        column.Text("name", c.name);
        column.Text("kind", c.kind);
    });
    list(o.Name("rows"), t.rows, [&](const std::vector<ResultCell> &row) { list(out, row, [&](const ResultCell &c) { cell(out, c); }); });
}

static void finding(FILE *out, const ResultFinding &f)
{
    Object o(out);
    o.Text("kind", f.kind);
    o.Text("text", f.text);
    o.Number("count", f.count);
    list(o.Name("stacks"), f.stacks, [&](const ResultTrail &t) {
        Object stack(out);
        stack.Text("title", t.title);
        indexes(stack.Name("frames"), t.frames);
    });
}

void result_write_json(FILE *out, const Result &r, unsigned)
{
    {
        Object o(out);
        head(o, out, r);
        names(o, out, r);
        counts(o, out, r);
        timeline(o, out, r.timeline);
        lines(out, o, "tables", r.tables, [&](const ResultTable &t) { table(out, t); });
        lines(out, o, "findings", r.findings, [&](const ResultFinding &f) { finding(out, f); });
        lines(out, o, "disassembly", r.disassembly, [&](const std::pair<const uint64_t, std::string> &i) {
            Object line(out);
            line.Number("address", i.first);
            line.Text("text", i.second);
        });
    }
    putc('\n', out);
}
