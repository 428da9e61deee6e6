// SPDX-License-Identifier: Apache-2.0
// Where something was counted (where.h): the options that all counting tools share, and names of addresses.
#include "where.h"
#include "region.h"

#include "linchpin/system.h"

#include <algorithm>
#include <unordered_set>

static KNOB<std::string> KnobBy(KNOB_MODE_WRITEONCE, "pintool", "by", "", "a row for each image, routine, line, block, ins or thread; several with commas");
static KNOB<std::string> KnobTop(KNOB_MODE_WRITEONCE, "pintool", "top", "", "print this many rows (0: all; if it is not given, as many as the tool likes)");
KNOB<std::string> KnobFormat(KNOB_MODE_WRITEONCE, "pintool", "format", "text", "of the results: text, json, csv, ... (docs/formats.md)");
static KNOB<BOOL> KnobMain(KNOB_MODE_WRITEONCE, "pintool", "main", "0", "only code of the main executable");
static KNOB<std::string> KnobImage(KNOB_MODE_APPEND, "pintool", "image", "", "only code of this image: a path or its last part; may be given more than once");
static KNOB<std::string> KnobRoutine(KNOB_MODE_APPEND, "pintool", "routine", "", "only code of this routine; may be given more than once");

UINT32 where_by, where_top;
BOOL where_wants_lines;
BOOL where_wants_fine;
std::vector<WhereBlock *> where_blocks;

static WhereTool self;
static const ResultFormat *format;
static std::vector<std::string> words; // of the program
static std::string options;
static BOOL main_only;

// --- options ------------------------------------------------------------------------------------------------------------

static VOID Wrong(const char *option, const std::string &value, const char *known)
{
    fprintf(stderr, "E: %s: -%s %s: not one of %s\n", self.name, option, value.c_str(), known);
    exit(1);
}

static UINT32 ReadBy(const std::string &text)
{
    static const char *const names[] = {"image", "routine", "line", "block", "ins", "thread"};
    UINT32 by = 0;
    for (size_t at = 0; at < text.size();) {
        size_t end = std::min(text.find(',', at), text.size()), i = 0;
        std::string word = text.substr(at, end - at) == "bbl" ? "block" : text.substr(at, end - at); // its older name
        at = end + 1;
        if (word == "program")
            continue; // one sum
        while (i < 6 && word != names[i])
            i++;
        if (i == 6)
            Wrong("by", word, "program, image, routine, line, block, ins, thread");
        by |= 1u << i;
    }
    return by;
}

static BOOL Has(const std::string &list, const std::string &name) { return (" " + list + " ").find(" " + name + " ") != std::string::npos; }

static VOID ReadFormat()
{
    std::string known = std::string("text json csv ") + self.formats;
    if (!Has(known, KnobFormat))
        Wrong("format", KnobFormat, known.c_str());
    for (format = result_formats; format->name && format->name != KnobFormat.Value();)
        format++;
    if (!format->name)
        format = result_formats; // the tool's own: of the trace, beside which the results are text
}

static VOID ReadTop()
{
    const std::string text = KnobTop.Value().empty() ? self.top : KnobTop.Value();
    char *end;
    unsigned long n = strtoul(text.c_str(), &end, 0);
    if (*end || text[0] == '-' || n > ~0u)
        Wrong("top", text, "the numbers of rows");
    where_top = UINT32(n);
}

// The program's words come after "--", the tool's own before.
static VOID ReadWords(int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--"); i++)
        if (i > 2) // -t NAME
            options += (options.empty() ? "" : " ") + std::string(argv[i]);
    for (i++; i < argc; i++)
        words.push_back(argv[i]);
}

static VOID Unload(IMG img, VOID *);

VOID where_start(int argc, char **argv, const WhereTool &tool)
{
    self = tool;
    PIN_InitSymbols();
    ReadWords(argc, argv);
    tool_start(argc, argv, (std::string(tool.name) + ": " + tool.what).c_str());
    where_by = ReadBy(KnobBy.Value().empty() ? tool.by : KnobBy.Value());
    ReadFormat();
    ReadTop();
    if (KnobFormat.Value() == "callgrind")
        where_by = WHERE_ROUTINE | WHERE_LINE; // what it is made of
    if (KnobFormat.Value() == "lcov") {
        where_by |= WHERE_LINE;
        main_only = !KnobImage.NumberOfValues() || KnobImage.Value(0).empty(); // the program's own sources, unless others are asked for
    }
    region_start();
    IMG_AddUnloadFunction(Unload, 0);
}

// --- the part of the program --------------------------------------------------------------------------------------------

static BOOL IsNamed(const std::string &path, KNOB<std::string> &knob)
{
    for (UINT32 i = 0; i < knob.NumberOfValues(); i++)
        if (knob.Value(i) == path || knob.Value(i) == tool_base_name(path))
            return TRUE;
    return FALSE;
}

static BOOL Given(KNOB<std::string> &knob) { return knob.NumberOfValues() && !knob.Value(0).empty(); }

BOOL where_chooses() { return main_only || KnobMain || Given(KnobImage) || Given(KnobRoutine); }

BOOL where_wanted(ADDRINT address)
{
    if (!where_chooses())
        return TRUE;
    IMG img = IMG_FindByAddress(address);
    RTN rtn = RTN_FindByAddress(address);
    if ((KnobMain || main_only) && (!IMG_Valid(img) || !IMG_IsMainExecutable(img)))
        return FALSE;
    if (Given(KnobImage) && (!IMG_Valid(img) || !IsNamed(IMG_Name(img), KnobImage)))
        return FALSE;
    return !Given(KnobRoutine) || (RTN_Valid(rtn) && (IsNamed(RTN_Name(rtn), KnobRoutine) || IsNamed(PIN_UndecorateSymbolName(RTN_Name(rtn), UNDECORATION_NAME_ONLY), KnobRoutine)));
}

// --- names of addresses -------------------------------------------------------------------------------------------------

struct Noted {
    ADDRINT address;
    INT32 privilege; // of a system's code; -1: nothing is known of it
    BOOL known;
    ResultPlace place;
};
static std::vector<Noted> noted;
static std::unordered_map<ADDRINT, UINT32> current[2]; // address: its number; what has gone is not here. Of a system's programs the second
static Result known; // only these parts of it:
static std::vector<ResultImage> &images = known.images;
static std::vector<std::string> &files = known.files;
static std::vector<ResultRoutine> &routines = known.routines;
static std::map<std::string, int> file_index;
static std::map<std::pair<int, ADDRINT>, int> routine_index; // image and address
static std::map<UINT32, int> image_index;                    // by IMG_Id, which is not used again

UINT32 where_note(ADDRINT address)
{
    INT32 privilege = &lp_code_privilege ? lp_code_privilege() : -1;
    auto at = current[privilege == 3].emplace(address, UINT32(noted.size()));
    if (at.second)
        noted.push_back(Noted{address, privilege, FALSE, ResultPlace()});
    return at.first->second;
}

ADDRINT where_address(UINT32 id) { return noted[id].address; }

static int ImageOf(IMG img)
{
    auto at = image_index.emplace(IMG_Id(img), int(images.size()));
    if (at.second)
        images.push_back(ResultImage{IMG_Name(img), IMG_LowAddress(img), IMG_HighAddress(img), bool(IMG_IsMainExecutable(img))});
    return at.first->second;
}

// A system's code that is in no image has one that says whose it is.
static int ImageOfSystem(const Noted &n)
{
    const char *name = n.privilege == 3 ? "user" : lp_kernel_half(n.address) ? "kernel" : "boot";
    for (size_t i = 0; i < images.size(); i++)
        if (images[i].name == name)
            return int(i);
    images.push_back(ResultImage{name, 0, 0, false});
    return int(images.size() - 1);
}

static BOOL WantsLines() { return where_wants_lines || (where_by & WHERE_LINE) || KnobFormat.Value() != "text"; }

static int LineOf(ADDRINT address, int *file)
{
    std::string path;
    INT32 line = 0;
    *file = -1;
    if (WantsLines())
        PIN_GetSourceLocation(address, NULL, &line, &path);
    if (path.empty())
        return 0;
    auto at = file_index.emplace(path, int(files.size()));
    if (at.second)
        files.push_back(path);
    *file = at.first->second;
    return line;
}

static int RoutineOf(RTN rtn, int image)
{
    auto at = routine_index.emplace(std::make_pair(image, RTN_Address(rtn)), int(routines.size()));
    if (at.second) {
        ResultRoutine r = {PIN_UndecorateSymbolName(RTN_Name(rtn), UNDECORATION_COMPLETE), image, RTN_Address(rtn), -1, 0};
        r.line = LineOf(r.address, &r.file);
        routines.push_back(r);
    }
    return at.first->second;
}

static VOID LookUp(Noted &n)
{
    BOOL program = n.privilege == 3; // a system's: images are its kernel's
    IMG img = program ? IMG_Invalid() : IMG_FindByAddress(n.address);
    RTN rtn = program ? RTN_Invalid() : RTN_FindByAddress(n.address);
    n.known = TRUE;
    n.place.address = n.address;
    if (IMG_Valid(img))
        n.place.image = ImageOf(img);
    else if (n.privilege >= 0)
        n.place.image = ImageOfSystem(n);
    if (RTN_Valid(rtn))
        n.place.routine = RoutineOf(rtn, n.place.image);
    n.place.line = LineOf(n.address, &n.place.file);
}

const ResultPlace &where_place(UINT32 id)
{
    if (!noted[id].known)
        LookUp(noted[id]);
    return noted[id].place;
}

WhereNames where_names(UINT32 id)
{
    const ResultPlace &p = where_place(id);
    WhereNames n = {p.image >= 0 ? images[size_t(p.image)].name : "", p.routine >= 0 ? routines[size_t(p.routine)].name : "", p.file >= 0 ? files[size_t(p.file)] : "", p.line};
    return n;
}

// What is in the image is looked up while it can be, and the addresses get other numbers afterwards.
static VOID Unload(IMG img, VOID *)
{
    for (auto at = current[0].begin(); at != current[0].end();)
        if (at->first >= IMG_LowAddress(img) && at->first <= IMG_HighAddress(img)) {
            where_place(at->second);
            at = current[0].erase(at);
        } else
            ++at;
}

// --- counts -------------------------------------------------------------------------------------------------------------

static ResultPlace Reduced(const ResultPlace &whole, int tid)
{
    ResultPlace p;
    BOOL address = where_by & (WHERE_INS | WHERE_BLOCK), line = address || (where_by & WHERE_LINE), routine = line || (where_by & WHERE_ROUTINE);
    if (routine || (where_by & WHERE_IMAGE))
        p.image = whole.image;
    if (routine)
        p.routine = whole.routine;
    if (line) {
        p.file = whole.file;
        p.line = whole.line;
    }
    if (address)
        p.address = whole.address;
    if (where_by & WHERE_THREAD)
        p.tid = tid;
    return p;
}

ResultPlace where_reduced(UINT32 id, int tid) { return Reduced(where_place(id), tid); }

VOID WhereCounts::AddTo(const ResultPlace &place, size_t metric, UINT64 n)
{
    ResultValues &v = rows[place];
    v.resize(metrics);
    v[metric] += n;
}

VOID WhereCounts::Add(UINT32 id, int tid, size_t metric, UINT64 n) { AddTo(where_reduced(id, tid), metric, n); }
VOID WhereCounts::AddThread(int tid, size_t metric, UINT64 n) { AddTo(Reduced(ResultPlace(), tid), metric, n); }

// By name, because numbers depend on what was looked up first.
static bool Before(const ResultPlace &a, const ResultPlace &b)
{
    if (a.routine != b.routine && a.routine >= 0 && b.routine >= 0) {
        const ResultRoutine &x = routines[size_t(a.routine)], &y = routines[size_t(b.routine)];
        return x.name != y.name ? x.name < y.name : x.address < y.address;
    }
    return a < b;
}

static bool More(const ResultRow &a, const ResultRow &b)
{
    return a.values != b.values ? a.values > b.values : Before(a.place, b.place);
}

VOID WhereCounts::Into(Result *result) const
{
    result->totals.assign(metrics, 0);
    for (const auto &row : rows) {
        for (size_t i = 0; i < metrics; i++)
            result->totals[i] += row.second[i];
        if (where_by)
            result->rows.push_back(ResultRow{row.first, row.second});
    }
    std::sort(result->rows.begin(), result->rows.end(), More);
}

static UINT64 *NewCounter()
{
    static UINT64 *next;
    static size_t left;
    if (!left) {
        left = 4096;
        next = new UINT64[left]();
    }
    left--;
    return next++;
}

WhereBlock *where_block(INS first, UINT32 instructions)
{
    WhereBlock *b = new WhereBlock{*NewCounter(), 0, 0, 0, {}};
    b->address = INS_Address(first);
    b->instructions = instructions;
    INS ins = first;
    for (UINT32 i = 0; i < instructions && INS_Valid(ins); i++, ins = INS_Next(ins)) {
        b->bytes += UINT32(INS_Size(ins));
        if (!i || where_fine())
            b->ids.push_back(where_note(INS_Address(ins)));
    }
    where_blocks.push_back(b);
    return b;
}

std::string where_data(ADDRINT address, UINT32)
{
    for (IMG img = APP_ImgHead(); IMG_Valid(img); img = IMG_Next(img))
        for (SEC sec = IMG_SecHead(img); SEC_Valid(sec); sec = SEC_Next(sec))
            if (SEC_Address(sec) <= address && address < SEC_Address(sec) + SEC_Size(sec)) {
                char offset[32];
                snprintf(offset, sizeof offset, "+0x%lx", address - SEC_Address(sec));
                return tool_base_name(IMG_Name(img)) + ":" + SEC_Name(sec) + offset;
            }
    return "heap or stack";
}

ADDRINT where_routine_address(int routine) { return routines[size_t(routine)].address; }

std::string where_routine_name(const ResultPlace &place)
{
    std::string name = place.routine >= 0 && routines[size_t(place.routine)].image >= 0 ? tool_base_name(images[size_t(routines[size_t(place.routine)].image)].name) + ":" : "";
    return name + (place.routine >= 0 ? routines[size_t(place.routine)].name : "");
}

std::string where_place_name(const ResultPlace &place) { return result_row_name(known, place); }

std::string where_frame_name(const ResultPlace &place) { return result_place_name(known, place); }

std::string where_image_name(const ResultPlace &place) { return place.image < 0 ? "" : images[size_t(place.image)].name; }

std::string where_source_name(const ResultPlace &place) { return place.file < 0 ? "" : files[size_t(place.file)] + ":" + decstr(place.line); }

VOID where_drop_metrics(Result *r)
{
    for (size_t m = r->metrics.size(); m-- > 1;) {
        if (r->totals[m])
            continue;
        r->metrics.erase(r->metrics.begin() + long(m));
        r->totals.erase(r->totals.begin() + long(m));
        for (ResultRow &row : r->rows)
            row.values.erase(row.values.begin() + long(m));
        for (ResultStack &stack : r->stacks)
            stack.values.erase(stack.values.begin() + long(m));
    }
}

// --- results ------------------------------------------------------------------------------------------------------------

static std::string MainImage()
{
    for (IMG img = APP_ImgHead(); IMG_Valid(img); img = IMG_Next(img))
        if (IMG_IsMainExecutable(img))
            return IMG_Name(img);
    return words.empty() ? "" : words[0];
}

// Those that a system's kernel knows.
static VOID NameThreads()
{
    known.threads.clear();
    BOOL any = FALSE;
    for (THREADID t = 0; &lp_thread_name && t < PIN_MAX_THREADS; t++)
        if (lp_thread_name(t)) {
            known.threads[int(t)] = lp_thread_name(t);
            any = any || lp_thread_process(t) >= 0;
        }
    if (!any)
        known.threads.clear();
}

VOID where_begin(Result *result, const lp_results_info *info)
{
    NameThreads();
    result->tool = self.name;
    result->options = options;
    result->argv = words;
    result->program = MainImage();
    result->pid = PIN_GetPid();
    static const char *const ends[] = {"exit", "signal", "exec", "detach", "dump"};
    result->status = info->status;
    result->end = region_stopped ? "stop" : ends[info->why];
    if (info->executed)
        result->executed = info->executed;
    if (region_asked && !region_began)
        result->notes.push_back("the region never began (-control, -tid): nothing was counted");
}

VOID where_write(Result *result)
{
    result->images = images;
    result->files = files;
    result->routines = routines;
    if (where_by & WHERE_THREAD)
        result->threads = known.threads;
    format->write(out, *result, where_top);
    fflush(out);
}
