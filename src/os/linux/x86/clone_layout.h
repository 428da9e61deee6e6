/* SPDX-License-Identifier: Apache-2.0
 * The order of clone's arguments, which differs between architectures after the first three. */
#ifndef LP_X86_CLONE_LAYOUT_H
#define LP_X86_CLONE_LAYOUT_H
enum { CLONE_ARG_CHILD_TID = 3, CLONE_ARG_TLS = 4 };
#endif
