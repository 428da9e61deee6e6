/* SPDX-License-Identifier: Apache-2.0
 * Where something was counted: by image, routine, source line, block, instruction or thread, as -by asks, in the part of the program that -main, -image, -routine, -tid and the
 * controller choose. A tool notes the addresses that it counts at (where_note), adds its counts at the end to a WhereCounts, and gives the result to where_write, which knows
 * -format and -top. Addresses are looked up when their image goes away, or at the end. Everything here is called under the client lock. */
#ifndef WHERE_H
#define WHERE_H
#include "lib/result.h"
#include "tool.h"

#include <unordered_map>

extern KNOB<std::string> KnobFormat;
extern UINT32 where_top; /* so many rows in what people read, 0: all */

/* What the tool says of itself. */
struct WhereTool {
    const char *name, *what; /* "inscount", "how many instructions were executed" */
    const char *by;          /* when the user does not say; "": one sum */
    const char *top;         /* of the text form, "0": all */
    const char *formats;     /* those that mean something here, beside text, json and csv */
};

/* In place of tool_start. */
VOID where_start(int argc, char **argv, const WhereTool &tool);

/* The parts of -by. */
enum { WHERE_IMAGE = 1, WHERE_ROUTINE = 2, WHERE_LINE = 4, WHERE_BLOCK = 8, WHERE_INS = 16, WHERE_THREAD = 32 };
extern UINT32 where_by;
/* Source lines are wanted also where -by does not tell them apart. */
extern BOOL where_wants_lines;
/* Must instructions of a block be told apart? Also if the tool says so. */
extern BOOL where_wants_fine;
static inline BOOL where_fine() { return where_wants_fine || (where_by & (WHERE_LINE | WHERE_INS)) != 0; }

/* Is the code at the address wanted (-main, -image, -routine)? Is some not? */
BOOL where_wanted(ADDRINT address);
BOOL where_chooses();

/* A number for the address as it is now; the same address in another image later has another. */
UINT32 where_note(ADDRINT address);
ADDRINT where_address(UINT32 id);
/* The place of a noted address, with all that is known, whatever -by says. */
const ResultPlace &where_place(UINT32 id);

/* The place with only what -by tells apart; and such a place in words, as the rows of the text form have it ("": there is nothing to tell). */
ResultPlace where_reduced(UINT32 id, int tid);
std::string where_place_name(const ResultPlace &place);
/* image:routine, or image+offset, at file:line, as frames of stacks are shown. */
std::string where_frame_name(const ResultPlace &place);

/* The same in words; "" and 0 where nothing is known. */
struct WhereNames {
    std::string image, routine, file;
    int line;
};
WhereNames where_names(UINT32 id);

/* Counts by place, each with as many values as there are metrics. */
class WhereCounts
{
  public:
    explicit WhereCounts(size_t metrics) : metrics(metrics) {}
    /* Adds n to a metric at a noted address and in a thread (-1: none). */
    VOID Add(UINT32 id, int tid, size_t metric, UINT64 n);
    /* The same for a thread as a whole. */
    VOID AddThread(int tid, size_t metric, UINT64 n);
    /* Makes rows of it, those with the highest first value first. */
    VOID Into(Result *result) const;

  private:
    VOID AddTo(const ResultPlace &place, size_t metric, UINT64 n);

    size_t metrics;
    std::map<ResultPlace, ResultValues> rows;
};

/* A block as it was translated, or a part of one, with its counter. The counters of all blocks are close together: a
 * program has thousands of blocks in use at a time, and a cache line each would be more than the caches have. */
struct WhereBlock {
    UINT64 &executed;
    UINT32 instructions, bytes;
    ADDRINT address;
    std::vector<UINT32> ids; /* of its instructions, or of its first one (where_fine) */
};
WhereBlock *where_block(INS first, UINT32 instructions);
extern std::vector<WhereBlock *> where_blocks;

ADDRINT where_routine_address(int routine);
/* image:routine; the image's path; file:line as the debug information has them. Empty where they are not known. */
std::string where_routine_name(const ResultPlace &place);
std::string where_image_name(const ResultPlace &place);
std::string where_source_name(const ResultPlace &place);
/* What is known of an address of data: image and section, or nothing. */
std::string where_data(ADDRINT address, UINT32 bytes);
/* Takes out metrics that are 0 everywhere, but for the first. */
VOID where_drop_metrics(Result *result);

/* A result with all that is the same for all tools; then the file is written. */
VOID where_begin(Result *result, const lp_results_info *info);
VOID where_write(Result *result);

#endif
