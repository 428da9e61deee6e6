/* SPDX-License-Identifier: Apache-2.0
 * See events.h. */
#include "os/events.h"

struct os_events os_events;
bool os_stops_threads, os_detaching;
u64 os_signals;
