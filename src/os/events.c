/* SPDX-License-Identifier: Apache-2.0
 * See events.h. Owns the table; the layers above fill it before the guest runs. */
#include "os/events.h"

struct os_events os_events;
bool os_stops_threads, os_detaching;
u64 os_signals;
