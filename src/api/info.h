/* SPDX-License-Identifier: Apache-2.0
 * What a tool may ask about the engine. */
#ifndef LP_API_INFO_H
#define LP_API_INFO_H
#include "base/base.h"
/* The tool (an absolute path) is about to be loaded. */
void info_start(const char *tool);

/* Has the tool's configuration (NULL: none) PIN_SetAllowedConcurrentCallbacks for the type? */
struct lp_configuration;
bool info_allows_concurrent(struct lp_configuration *info, int type);
const char *PIN_ToolFullPath(void);

#endif
