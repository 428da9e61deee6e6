// SPDX-License-Identifier: Apache-2.0
// An ordinary program with a second thread, for the tool that looks where memory of the tool and the code cache are.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *p)
{
    return memset(malloc(1 << 20), 1, 1 << 20) ? p : NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
//> confined engine=-pin_memory_range engine=0x2100000000:0x2110000000 engine=-cc_memory_range engine=0x3100000000:0x3140000000 low=0x2100000000 high=0x2110000000 code_low=0x3100000000 code_high=0x3140000000
//= outside 0, code elsewhere 0 of many
//> confined engine=-pin_memory_range engine=0x2100000000:0x2110000000 low=0x2100000000 high=0x2110000000 code_low=0x2100000000 code_high=0x2110000000
//= outside 0, code elsewhere 0 of many
//> confined engine=-pin_memory_range engine=0:0x7fff0000 low=0 high=0x7fff0000 code_low=0 code_high=0x7fff0000
//= outside 0, code elsewhere 0 of many
//> confined engine=-cc_memory_range engine=0x3100000000:0x3140000000 low=0 high=0x7fffffffffff code_low=0x3100000000 code_high=0x3140000000
//= outside 0, code elsewhere 0 of many
//> confined engine=-pin_memory_range engine=0x2100000000:0x2108000000 fill=1 low=0x2100000000 high=0x2108000000 code_low=0x2100000000 code_high=0x2108000000 status=3
//= outside 0, code elsewhere 0 of many
//= told that there is no more
//> confined engine=-pin_memory_range engine=0x2100000000:0x2100001000 err=yes status=1
//= ~ linchpin: no memory for .* in the addresses that -pin_memory_range and -cc_memory_range name; give larger ranges
//> confined engine=-cc_memory_range engine=0x2100000000:0x2100001000 err=yes status=1
//= ~ linchpin: no memory for .* in the addresses that -pin_memory_range and -cc_memory_range name; give larger ranges
