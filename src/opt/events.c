/* SPDX-License-Identifier: Apache-2.0
 * See events.h. */
#include "opt/events.h"

struct opt_events opt_events;
