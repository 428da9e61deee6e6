/* SPDX-License-Identifier: Apache-2.0
 * heapcheck: errors that were found, each kept once, those that the user does not want to see (suppressions), and how results show them. Errors are noted under blocks_lock. */
#ifndef HEAPERRORS_H
#define HEAPERRORS_H
#include "heapblocks.h"
#include "lib/unwind.h"
#include "lib/where.h"
#include "region.h"

#include <fnmatch.h>

static KNOB<std::string> KnobSuppressions(KNOB_MODE_APPEND, "pintool", "suppressions", "", "file of errors that are not shown (docs/tools/heapcheck.md); may be given more than once");
static KNOB<BOOL> KnobShowSuppressions(KNOB_MODE_WRITEONCE, "pintool", "gen_suppressions", "0", "print a suppression for each error, too");

enum ErrorKind { BAD_READ, BAD_WRITE, BAD_FREE, DOUBLE_FREE, WRONG_FREE, OVERLAP, LEAK_LOST, LEAK_POSSIBLE, LEAK_REACHABLE, ERROR_KINDS };
static const char *const error_names[] = {"invalid-read", "invalid-write", "invalid-free", "double-free", "mismatched-free", "overlap", "leak-lost", "leak-possible", "leak-reachable"};
static inline BOOL error_is_leak(UINT32 kind) { return kind >= LEAK_LOST; }

struct HeapError {
    UINT32 kind, stack, allocated, freed; /* stacks */
    UINT64 count;
    std::string text, title;
};
static std::vector<HeapError> errors;
static std::map<std::pair<UINT32, UINT32>, size_t> error_index; /* kind and stack */
static const size_t ERRORS_MAX = 1000;
static BOOL errors_cut;
static UnwindStacks *stacks;

static inline std::string error_number(const char *format, UINT64 a, UINT64 b = 0)
{
    char text[160];
    snprintf(text, sizeof text, format, a, b);
    return text;
}

/* Where an address lies, seen from the block that it is in or beside. */
static inline std::string error_describe(ADDRINT address, const Block *b)
{
    if (!b)
        return *shadow_of(address) == SHADOW_FREE ? "in memory of the allocator that is in no block" : "in no block of the heap";
    std::string place = address < b->at ? error_number("%lu bytes before", b->at - address) : address < b->at + b->bytes || (b->is_freed && address == b->at) ?
        error_number("%lu bytes inside", address - b->at) : error_number("%lu bytes after", address - b->at - b->bytes);
    return place + error_number(" a block of %lu bytes", b->bytes) + (b->is_freed ? " that was freed" : "");
}

/* The error's own count is one more if it is known. With -tid and -control only errors in the region are told; blocks are known from all of the program. */
static inline VOID error_note(UINT32 kind, UINT32 stack, UINT32 tid, const std::string &text, const char *what, const Block *block)
{
    if (region_asked && !region_inside[tid])
        return;
    auto at = error_index.emplace(std::make_pair(kind, stack), errors.size());
    if (!at.second) {
        errors[at.first->second].count++;
        return;
    }
    if (errors.size() >= ERRORS_MAX) {
        errors_cut = TRUE;
        error_index.erase(at.first);
        return;
    }
    errors.push_back(HeapError{kind, stack, block ? block->allocated : 0, block && block->is_freed ? block->freed : 0, 1, text, std::string(what) + " by thread " + decstr(tid)});
}

/* --- suppressions -------------------------------------------------------------------------------------------------------- */

struct Suppression {
    std::string name, kind; /* kind: of ours, a pattern */
    std::vector<std::string> frames; /* fun:PATTERN, obj:PATTERN, src:PATTERN, ... */
    UINT64 used;
};
/* What the dynamic linker keeps for itself, it points into. */
static std::vector<Suppression> suppressions(1, Suppression{"the dynamic linker's own", "leak-possible", {"obj:*/ld-linux*"}, 0});

/* Kinds of Valgrind's memcheck, whose files are read as they are. */
static inline std::string suppression_kind(const std::string &word)
{
    size_t colon = word.find(':');
    std::string tool = word.substr(0, colon), kind = colon == std::string::npos ? "" : word.substr(colon + 1);
    if (tool.find("heapcheck") != std::string::npos)
        return kind;
    if (tool.find("Memcheck") == std::string::npos)
        return "";
    return !kind.compare(0, 4, "Addr") || kind == "Param" ? "invalid-[rw]*" : kind == "Free" ? "*-free" : kind == "Overlap" ? "overlap" : kind == "Leak" ? "leak-*" : "";
}

static inline std::string suppression_trim(std::string line)
{
    size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

static inline VOID suppression_line(const std::string &line, Suppression *s, int *number)
{
    if (line == "{") {
        *s = Suppression();
        *number = 0;
    } else if (line == "}") {
        if (!s->kind.empty())
            suppressions.push_back(*s);
    } else if (++*number == 1)
        s->name = line;
    else if (*number == 2)
        s->kind = suppression_kind(line);
    else if (!line.compare(0, 4, "fun:") || !line.compare(0, 4, "obj:") || !line.compare(0, 4, "src:") || line == "...")
        s->frames.push_back(!line.compare(0, 6, "fun:_Z") && line.find('*') == std::string::npos ? "fun:" + PIN_UndecorateSymbolName(line.substr(4), UNDECORATION_COMPLETE) : line);
}

static inline VOID suppressions_read(const std::string &path)
{
    FILE *f = fopen(path.c_str(), "re");
    char line[4096];
    Suppression s;
    int number = 0;
    if (!f) {
        fprintf(stderr, "E: heapcheck: -suppressions %s: %s\n", path.c_str(), strerror(errno));
        exit(1);
    }
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        std::string text = suppression_trim(line);
        if (!text.empty() && text[0] != '#')
            suppression_line(text, &s, &number);
    }
    fclose(f);
}

static inline BOOL suppression_fits(const std::string &pattern, const std::string &text) { return !fnmatch(pattern.c_str(), text.c_str(), 0); }

static inline BOOL suppression_frame(const std::string &frame, const ResultPlace &p)
{
    std::string pattern = frame.substr(4), name = where_routine_name(p);
    size_t colon = name.find(':');
    if (!frame.compare(0, 3, "obj"))
        return suppression_fits(pattern, where_image_name(p));
    if (!frame.compare(0, 3, "src"))
        return suppression_fits(pattern, where_source_name(p));
    name = colon == std::string::npos ? name : name.substr(colon + 1);
    return suppression_fits(pattern, name) || suppression_fits(pattern, name.substr(0, name.find('('))); /* arguments of C++ need not be said */
}

static inline BOOL suppression_stack(const std::vector<std::string> &want, size_t w, const std::vector<UINT32> &have, size_t h)
{
    if (w == want.size())
        return TRUE;
    if (want[w] == "...")
        return suppression_stack(want, w + 1, have, h) || (h < have.size() && suppression_stack(want, w, have, h + 1));
    return h < have.size() && suppression_frame(want[w], where_place(have[h])) && suppression_stack(want, w + 1, have, h + 1);
}

/* Under the client lock. */
static inline BOOL error_is_suppressed(const HeapError &e)
{
    std::vector<UINT32> notes = stacks->Notes(e.stack);
    for (Suppression &s : suppressions)
        if (suppression_fits(s.kind, error_names[e.kind]) && suppression_stack(s.frames, 0, notes, 0)) {
            s.used += e.count;
            return TRUE;
        }
    return FALSE;
}

static inline std::string suppression_for(const HeapError &e)
{
    std::string text = std::string("{\n   ") + error_names[e.kind] + "\n   heapcheck:" + error_names[e.kind] + "\n";
    for (UINT32 note : stacks->Notes(e.stack)) {
        const ResultPlace &p = where_place(note);
        std::string name = where_routine_name(p);
        size_t colon = name.find(':');
        text += p.routine >= 0 ? "   fun:" + (colon == std::string::npos ? name : name.substr(colon + 1)) + "\n" : "   obj:" + (p.image >= 0 ? where_image_name(p) : "*") + "\n";
    }
    return text + "}";
}

/* --- results ------------------------------------------------------------------------------------------------------------- */

static std::string main_name; /* image:main */

static inline VOID error_trail(Result *r, ResultFinding *f, const std::string &title, UINT32 stack)
{
    if (!stack)
        return;
    ResultTrail trail = {title, stacks->Frames(stack, r)};
    for (size_t i = 0; i < trail.frames.size(); i++) /* what is before main is the same for all */
        if (where_routine_name(r->frames[size_t(trail.frames[i])]) == main_name)
            trail.frames.resize(i + 1);
    trail.frames = std::vector<int>(trail.frames.rbegin(), trail.frames.rend()); /* the outermost first */
    f->stacks.push_back(trail);
}

static inline VOID error_show(Result *r, const HeapError &e)
{
    ResultFinding f = {error_names[e.kind], e.text, e.count, {}};
    error_trail(r, &f, e.title, e.stack);
    if (!error_is_leak(e.kind)) {
        error_trail(r, &f, "the block was freed", e.freed);
        error_trail(r, &f, "the block was allocated", e.allocated);
    }
    r->findings.push_back(f);
    if (KnobShowSuppressions)
        r->notes.push_back(suppression_for(e));
}

#endif
