/* SPDX-License-Identifier: Apache-2.0
 * The base types under their plain names, for applications and for C; a tool has the same ones from pin.H. */
#ifndef OS_TYPES_H
#define OS_TYPES_H
#include <stddef.h>
#include <stdint.h>

#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif
#ifdef __cplusplus
typedef bool BOOL_T;
#else
typedef unsigned char BOOL_T;
#endif
typedef void VOID;
typedef char CHAR;
typedef int INT;
typedef unsigned int UINT;
typedef signed char INT8;
typedef unsigned char UINT8;
typedef int16_t INT16;
typedef uint16_t UINT16;
typedef int32_t INT32;
typedef uint32_t UINT32;
typedef int64_t INT64;
typedef uint64_t UINT64;
typedef float FLT32;
typedef double FLT64;
#if defined(TARGET_IA32) && !defined(TARGET_IA32E)
typedef UINT32 ADDRINT;
typedef INT32 ADDRDELTA;
#define ADDRINT_SIZE_IN_BITS 32
#define STACK_WORD_SIZE 4
#else
typedef UINT64 ADDRINT;
typedef INT64 ADDRDELTA;
#define ADDRINT_SIZE_IN_BITS 64
#define STACK_WORD_SIZE 8
#endif
typedef UINT64 ANYADDR;
typedef UINT64 PTRINT;
typedef UINT64 VOIDINT;
#define PTRINT_SIZE 64
#endif
