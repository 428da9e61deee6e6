/* SPDX-License-Identifier: Apache-2.0
 * Base types of the tool ABI: integers, handles, opaque objects, the small structures that tools see. Shared by C tools, C++ tools and the engine; sizes and layouts never change.
 * In C++ everything is in LEVEL_BASE, where all four of Pin's namespaces find it. */
#ifndef LINCHPIN_TYPES_H
#define LINCHPIN_TYPES_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ucontext.h> /* see reg.h */

#ifdef __cplusplus
#define LP_BEGIN namespace LEVEL_BASE {
#define LP_END }
#define LP_DEFAULT(v) = v      /* default argument */
#else
#include <stdbool.h>
#define LP_BEGIN
#define LP_END
#define LP_DEFAULT(v)
#endif
#define LP_NORETURN __attribute__((noreturn))

/* Tools test for these; the compiler's command has one of them. */
#if defined(TARGET_IA32) && !defined(TARGET_IA32E)
#define LP_IA32
#ifndef HOST_IA32
#define HOST_IA32
#endif
#else
#ifndef TARGET_IA32E
#define TARGET_IA32E
#endif
#ifndef HOST_IA32E
#define HOST_IA32E
#endif
#endif

/* What a tool was built for; the engine refuses a tool with another number. */
#define LP_ABI_IA32 0x10000u /* for IA-32 programs */
#ifdef LP_IA32
#define LP_ABI_VERSION (LP_ABI_IA32 | 1u)
#else
#define LP_ABI_VERSION 1u
#endif

LP_BEGIN

typedef void VOID;
typedef bool BOOL;
typedef char CHAR;
typedef signed char INT8;
typedef unsigned char UINT8;
typedef int16_t INT16;
typedef uint16_t UINT16;
typedef int32_t INT32;
typedef uint32_t UINT32;
typedef int64_t INT64;
typedef uint64_t UINT64;
typedef int INT;
typedef unsigned int UINT;
typedef float FLT32;
typedef double FLT64;
typedef UINT32 USIZE;     /* of code and objects, in bytes; 32 bits, as tools have it in their own signatures */
/* An address of the program, or a register of that width. LP_ADDRESS is the same where the engine reads or writes it: a parameter, a member of a structure. Tools for IA-32 programs
 * (`linchpin cc -m32`) are 64-bit code, too, so there it is wider. */
#ifdef LP_IA32
typedef UINT32 ADDRINT;
typedef INT32 ADDRDELTA;
typedef UINT64 LP_ADDRESS;
#else
typedef UINT64 ADDRINT;
typedef INT64 ADDRDELTA;
typedef ADDRINT LP_ADDRESS;
#endif
typedef void (*AFUNPTR)(void); /* not VOID: gcc lets any function be cast to exactly this */

typedef UINT32 THREADID;         /* small and dense, from 0 */
typedef UINT64 PIN_THREAD_UID;   /* never used twice */
typedef UINT32 OS_THREAD_ID, NATIVE_TID;
typedef UINT32 OS_PROCESS_ID, NATIVE_PID;
#define NATIVE_PID_CURRENT ((NATIVE_PID)-1)
#define NATIVE_TID_CURRENT ((NATIVE_TID)-1)
#define INVALID_NATIVE_PID ((NATIVE_PID)0)
#define INVALID_NATIVE_TID ((NATIVE_TID)0)
typedef INT32 TLS_KEY;
typedef UINT32 BUFFER_ID;
typedef UINT32 OPCODE;

/* Handles: a 32-bit number, 0 is invalid. */
#ifdef __cplusplus
template <int kind> class INDEX
{
  public:
    INDEX() : index(0) {}
    explicit INDEX(INT32 i) : index(i) {}
    BOOL is_valid() const { return index > 0; }
    INT32 q() const { return index; }
    VOID q_set(INT32 i) { index = i; }
    VOID invalidate() { index = 0; }
    BOOL operator==(const INDEX &o) const { return index == o.index; }
    BOOL operator!=(const INDEX &o) const { return index != o.index; }
    BOOL operator<(const INDEX &o) const { return index < o.index; }
    INT32 index;
};
typedef INDEX<1> INS;
typedef INDEX<2> BBL;
typedef INDEX<3> TRACE;
typedef INDEX<4> RTN;
typedef INDEX<5> SEC;
typedef INDEX<6> IMG;
typedef INDEX<7> SYM;
typedef INDEX<8> CHILD_PROCESS;
#else
typedef struct { INT32 index; } INS;
typedef struct { INT32 index; } BBL;
typedef struct { INT32 index; } TRACE;
typedef struct { INT32 index; } RTN;
typedef struct { INT32 index; } SEC;
typedef struct { INT32 index; } IMG;
typedef struct { INT32 index; } SYM;
typedef struct { INT32 index; } CHILD_PROCESS;
#endif

/* Opaque objects. */
typedef struct lp_callback *PIN_CALLBACK;
typedef struct lp_iarglist *IARGLIST;
typedef struct lp_proto *PROTO;
typedef struct lp_configuration *PIN_CONFIGURATION_INFO; /* NULL: the defaults */

#ifdef __cplusplus
static const PIN_CALLBACK PIN_CALLBACK_INVALID = 0;
static const THREADID INVALID_THREADID = static_cast<THREADID>(-1);
static const PIN_THREAD_UID INVALID_PIN_THREAD_UID = static_cast<PIN_THREAD_UID>(-1);
static const OS_THREAD_ID INVALID_OS_THREAD_ID = static_cast<OS_THREAD_ID>(-1);
static const TLS_KEY INVALID_TLS_KEY = -1;
static const BUFFER_ID BUFFER_ID_INVALID = 0;
static const UINT32 PIN_MAX_THREADS = 8192;
static const UINT32 PIN_INFINITE_TIMEOUT = static_cast<UINT32>(-1);
static const size_t DEFAULT_THREAD_STACK_SIZE = 0;
static const UINT32 MAX_MULTI_MEMOPS = 16;
#else
#define PIN_CALLBACK_INVALID ((PIN_CALLBACK)0)
#define INVALID_THREADID ((THREADID)-1)
#define INVALID_PIN_THREAD_UID ((PIN_THREAD_UID)-1)
#define INVALID_OS_THREAD_ID ((OS_THREAD_ID)-1)
#define INVALID_TLS_KEY ((TLS_KEY)-1)
#define BUFFER_ID_INVALID 0u
#define PIN_MAX_THREADS 8192u
#define PIN_INFINITE_TIMEOUT ((UINT32)-1)
#define DEFAULT_THREAD_STACK_SIZE ((size_t)0)
#define MAX_MULTI_MEMOPS 16u
#endif
#define LP_MAX_TLS_KEYS 64
#define LP_CONTEXT_BYTES 12288

/* The application's registers. Opaque: PIN_GetContextReg and friends. Only PIN_SaveContext fills one that the tool has made; one from the engine may be shorter than the
 * structure and must not be copied by assignment. lp_state[0] is 0 as long as there is nothing in it. */
typedef struct CONTEXT {
#ifdef __cplusplus
    CONTEXT() { lp_state[0] = 0; }
#endif
    UINT64 lp_state[8];
    UINT8 lp_data[LP_CONTEXT_BYTES - 64];
} __attribute__((aligned(16))) CONTEXT;

/* Processor state at the place of a fault inside the tool. */
typedef struct PHYSICAL_CONTEXT PHYSICAL_CONTEXT;

/* Locks. All zero is a valid initial state for each of them. */
typedef struct PIN_LOCK {
    volatile UINT32 lock; /* a futex: 0 free, 1 taken, 2 taken and waited for */
    volatile INT32 owner; /* what the owner said, 0: free */
    volatile UINT64 lp_state[7];
} PIN_LOCK;
typedef struct PIN_MUTEX { volatile UINT64 lp_state[8]; } PIN_MUTEX;
typedef struct PIN_RWMUTEX { volatile UINT64 lp_state[8]; } PIN_RWMUTEX;
typedef struct PIN_SEMAPHORE { volatile UINT64 lp_state[8]; } PIN_SEMAPHORE;

/* Bit n is register n. C++ tools see the same memory as a REGISTER_SET. */
#define LP_REGSET_WORDS 16
#ifndef __cplusplus
typedef struct REGSET { UINT64 lp_words[LP_REGSET_WORDS]; } REGSET;
#endif

/* A type in a function's prototype: made by PIN_PARG(type), passed by value through "...". */
typedef struct PARG_T {
    INT32 kind;  /* PARG_TYPE */
    UINT32 size; /* bytes */
} PARG_T;

typedef struct CALL_APPLICATION_FUNCTION_PARAM {
    BOOL native; /* run the function without instrumentation */
} CALL_APPLICATION_FUNCTION_PARAM;

typedef struct PIN_CODE_RANGE {
    LP_ADDRESS _start, _end;
} PIN_CODE_RANGE;

LP_END
#endif
