/* SPDX-License-Identifier: Apache-2.0
 * See events.h. Owns the table; the layers above fill it before the guest runs. */
#include "opt/events.h"

struct opt_events opt_events;
