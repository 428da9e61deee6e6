// SPDX-License-Identifier: Apache-2.0
// inscount: how many instructions were executed, in each thread, image, routine, line, block, or each by itself.
#include "lib/blocks.h"

static VOID Results(const lp_results_info *info)
{
    Result result;
    WhereCounts counts(1);
    where_begin(&result, info);
    result.metrics = {{"instructions", "count", "instructions executed"}};
    blocks_add_instructions(&counts);
    counts.Into(&result);
    where_write(&result);
}

int main(int argc, char **argv)
{
    where_start(argc, argv, WhereTool{"inscount", "how many instructions were executed", "thread", "20", "callgrind"});
    blocks_start();
    tool_results(Results, blocks_reset);
    PIN_StartProgram();
}
