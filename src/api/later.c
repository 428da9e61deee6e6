/* SPDX-License-Identifier: Apache-2.0
 * Names of the API whose part is not there yet: replay. They are defined, so that a tool that calls them
 * only on a path that it does not take can be loaded. Questions are answered truthfully; whatever would have to act
 * stops with a message. All are weak: a real definition takes their place. No state but what has been said. Rule
 * A48. */
#include "opt/objects.h"
#include "linchpin/api_text.h"

#define LATER __attribute__((weak))
#define UNUSED __attribute__((unused))

static const char REPLAY[] = "replay is not there yet";

static void stop(const char *call, const char *why) NORETURN;
static void stop(const char *call, const char *why)
{
    api_misuse(call, NULL, 0, "%s", why);
}

#define STOP(type, name, why, ...) LATER type name(__VA_ARGS__) { stop(#name, why); }

/* --- replay ------------------------------------------------------------------------------------------------------- */

STOP(VOID, PIN_SetReplayMode, REPLAY, UINT32 mode UNUSED)
STOP(IMG, PIN_ReplayImageLoad, REPLAY, const char *file UNUSED, const char *name UNUSED, ADDRINT address UNUSED,
     REPLAY_IMAGE_TYPE type UNUSED)
STOP(VOID, PIN_ReplayImageUnload, REPLAY, IMG img UNUSED)
STOP(IMG, IMG_CreateAt, REPLAY, const char *file UNUSED, ADDRINT start UNUSED, USIZE bytes UNUSED,
     ADDRINT offset UNUSED, BOOL main_image UNUSED)
STOP(VOID, IMG_ReplayImageLoad, REPLAY, IMG img UNUSED)
STOP(VOID, IMG_ReplayImageUnload, REPLAY, IMG img UNUSED)
STOP(VOID, IMG_SetLoaderInfo, REPLAY, IMG img UNUSED, VOID *info UNUSED)
LATER VOID *IMG_GetLoaderInfo(IMG img UNUSED) { return NULL; } /* none was set */
/* The engine keeps no reserve of the program's memory. */
LATER BOOL PIN_WasMemoryReservedInLoadTime(void) { return false; }
