/* SPDX-License-Identifier: Apache-2.0
 * System calls of IA-32 programs that int80.c cannot take for the 64-bit ones. */
#ifndef LP_X86_CALLS32_H
#define LP_X86_CALLS32_H
#include "os/linux/sys.h"

enum calls32_way {
    CALLS32_AS_64,     /* not one of them */
    CALLS32_IN_PLACE,  /* the kernel's alone */
    CALLS32_PREPARED,  /* x has become a 64-bit one */
    CALLS32_OWN,       /* calls32_carry_out does it */
};
/* word: the arguments. */
enum calls32_way calls32_prepare(struct other_call *x, u32 nr, const u32 word[6]);
/* Is it one that calls32_carry_out does for 64-bit programs, too? */
bool calls32_is_directory(u32 nr);
void calls32_carry_out(u32 nr, const u32 word[6]);

#endif
