/* SPDX-License-Identifier: Apache-2.0
 * What a tool may ask about the engine. */
#ifndef LP_API_INFO_H
#define LP_API_INFO_H
/* The tool (an absolute path) is about to be loaded. */
void info_start(const char *tool);
#endif
