/* SPDX-License-Identifier: Apache-2.0
 * A second source of the tool options.cpp: the header may be in several. */
#include "pin.H"

KNOB<std::string> KnobElsewhere(KNOB_MODE_WRITEONCE, "pintool", "else_where", "e", "in another source");
