// SPDX-License-Identifier: Apache-2.0
// allcache: TLBs and several levels of cache. An older name of cache -machine allcache, with one sum for the whole program. All of it is in cachetool.h.
#include "cachetool.h"

int main(int argc, char **argv)
{
    cache_machine = "allcache";
    return cache_run(argc, argv, WhereTool{"allcache", "TLBs and several levels of cache", "", "20", "callgrind folded speedscope"});
}
