/* SPDX-License-Identifier: Apache-2.0
 * See events.h. Owns the table; the layers above fill it before the guest runs. */
#include "os/events.h"

#include "os/native.h"

struct os_events os_events;
bool os_stops_threads, os_detaching FORK_WRITES;
u64 os_signals;
bool os_native;
