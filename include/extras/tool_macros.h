/* SPDX-License-Identifier: Apache-2.0
 * Small names that tests and tools for several systems use; here the Linux ones. */
#ifndef TOOL_MACROS_H
#define TOOL_MACROS_H

#define C_MANGLE(name) name
#define NAME_MANGLE(name) name
#define SHARED_LIB(name) name ".so"
#define ASMNAME(name) asm(name)
#define DLLEXPORT __attribute__((visibility("default")))
#define EXPORT_SYM extern __attribute__((visibility("default")))
#define EXPORT_CSYM extern "C" __attribute__((visibility("default")))

#endif
