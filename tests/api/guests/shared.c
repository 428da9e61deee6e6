// SPDX-License-Identifier: Apache-2.0
// The same as private, for a tool whose routines do not lock: what they count is only exact where it is not they that count.
// modes: plain one nolink far
// not with: -no_inline -no_spread
#include "private.c"
//> shared
//= exact
