// SPDX-License-Identifier: Apache-2.0
// The same as private, for a tool whose routines do not lock: what they count is only exact where it is not they that count.
// modes: plain one nolink far
#include "private.c"
//> shared
//= exact
