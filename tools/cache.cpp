// SPDX-License-Identifier: Apache-2.0
// cache: which code misses in which cache. All of it is in cachetool.h.
#include "cachetool.h"

int main(int argc, char **argv)
{
    return cache_run(argc, argv, WhereTool{"cache", "which code misses in which cache", "routine", "20", "callgrind folded speedscope"});
}
