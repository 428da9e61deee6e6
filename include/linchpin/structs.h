/* SPDX-License-Identifier: Apache-2.0
 * Structures that tools read and write: floating point state, memory accesses, exceptions, the debugger. Shared by C tools, C++ tools and the engine; layouts never change. */
#ifndef LINCHPIN_STRUCTS_H
#define LINCHPIN_STRUCTS_H
#include "enums.h"

LP_BEGIN

/* --- floating point and vector state: the processor's own layouts (FXSAVE64, XSAVE standard format) --------------------------------------------- */
typedef union LP_X87_REG {
    struct { UINT64 _lo, _hi; } _raw;
    struct { UINT32 _lo1, _lo2, _hi1, _hi2; } _raw32;
    struct { UINT64 _significand; UINT16 _exponent; UINT16 _pad[3]; } _fp;
} LP_X87_REG;

typedef union LP_XMM_REG {
    UINT8 _vec8[16];
    UINT16 _vec16[8];
    UINT32 _vec32[4];
    UINT64 _vec64[2];
} LP_XMM_REG;

typedef struct FXSAVE {
    UINT16 _fcw, _fsw;
    UINT8 _ftw; /* abridged: one bit a register */
    UINT8 _pad1;
    UINT16 _fop;
    UINT32 _fpuip;
    UINT16 _cs, _pad2;
    UINT32 _fpudp;
    UINT16 _ds, _pad3;
    UINT32 _mxcsr, _mxcsrmask;
    union { UINT8 _st[8 * 16]; LP_X87_REG _sts[8]; };
    union { UINT8 _xmm[16 * 16]; LP_XMM_REG _xmms[16]; };
    UINT8 _reserved[6 * 16];
} FXSAVE;

typedef struct XSAVE_HEADER {
    UINT64 _mask, _compact; /* XSTATE_BV, XCOMP_BV */
    UINT64 _reserved[6];
} XSAVE_HEADER;

typedef struct LP_XSTATE {
    union { XSAVE_HEADER _header; UINT8 _extendedHeader[64]; };
    UINT8 _ymmUpper[16 * 16];
    UINT8 _more[11264 - 512 - 64 - 256]; /* the other components, at the offsets that CPUID tells */
} LP_XSTATE;

typedef struct FPSTATE {
    FXSAVE fxsave_legacy;
    LP_XSTATE _xstate;
} FPSTATE;

#ifdef __cplusplus
static const size_t FPSTATE_SIZE = sizeof(FPSTATE);
static const size_t FPSTATE_ALIGNMENT = 64;
#else
#define FPSTATE_SIZE sizeof(FPSTATE)
#define FPSTATE_ALIGNMENT ((size_t)64)
#endif

/* What IARG_REG_REFERENCE points to, as tools of 2.x and 3.0 to 3.21 name it. */
#define MAX_BYTES_PER_PIN_REG 64
#define MAX_WORDS_PER_PIN_REG (MAX_BYTES_PER_PIN_REG / 2)
#define MAX_DWORDS_PER_PIN_REG (MAX_BYTES_PER_PIN_REG / 4)
#define MAX_QWORDS_PER_PIN_REG (MAX_BYTES_PER_PIN_REG / 8)
#define MAX_FLOATS_PER_PIN_REG (MAX_BYTES_PER_PIN_REG / 4)
#define MAX_DOUBLES_PER_PIN_REG (MAX_BYTES_PER_PIN_REG / 8)
typedef union PIN_REGISTER {
    UINT8 byte[MAX_BYTES_PER_PIN_REG];
    UINT16 word[MAX_WORDS_PER_PIN_REG];
    UINT32 dword[MAX_DWORDS_PER_PIN_REG];
    UINT64 qword[MAX_QWORDS_PER_PIN_REG];
    INT8 s_byte[MAX_BYTES_PER_PIN_REG];
    INT16 s_word[MAX_WORDS_PER_PIN_REG];
    INT32 s_dword[MAX_DWORDS_PER_PIN_REG];
    INT64 s_qword[MAX_QWORDS_PER_PIN_REG];
    FLT32 flt[MAX_FLOATS_PER_PIN_REG];
    FLT64 dbl[MAX_DOUBLES_PER_PIN_REG];
} PIN_REGISTER;

/* --- memory accesses ------------------------------------------------------------------------------------------------------------------------------ */
typedef struct PIN_MEM_ACCESS_INFO {
    LP_ADDRESS memoryAddress;
    PIN_MEMOP_ENUM memopType;
    UINT32 bytesAccessed;
    BOOL maskOn; /* false: not accessed */
} PIN_MEM_ACCESS_INFO;

/* IARG_MULTI_MEMORYACCESS_EA */
typedef struct PIN_MULTI_MEM_ACCESS_INFO {
    UINT32 numberOfMemops;
    PIN_MEM_ACCESS_INFO memop[16];
} PIN_MULTI_MEM_ACCESS_INFO;

typedef union PIN_MEM_TRANS_FLAGS {
    UINT32 val;
    struct { UINT32 isFromPin : 1, isAtomic : 1, isPrefetch : 1, isRmw : 1, reserved : 28; } bits;
} PIN_MEM_TRANS_FLAGS;

typedef struct PIN_MEM_TRANS_INFO {
    LP_ADDRESS addr;
    USIZE bytes;
    LP_ADDRESS ip;
    PIN_MEMOP_ENUM memOpType;
    THREADID threadIndex;
    PIN_MEM_TRANS_FLAGS flags;
} PIN_MEM_TRANS_INFO;

/* --- exceptions -------------------------------------------------------------------------------------------------------------------------------- */
typedef struct LP_EXCEPTION_INFO {
    UINT32 code;           /* EXCEPTION_CODE; 0: empty */
    UINT32 access_type;    /* FAULTY_ACCESS_TYPE */
    LP_ADDRESS address;       /* of the instruction */
    LP_ADDRESS access_address;
    UINT32 has_access_address;
    UINT32 fp_errors;      /* FPERROR bits */
    UINT64 reserved[4];
} LP_EXCEPTION_INFO;
#ifndef __cplusplus
typedef LP_EXCEPTION_INFO EXCEPTION_INFO;
#endif

/* --- the debugger ------------------------------------------------------------------------------------------------------------------------------ */
typedef struct LP_TCP_SERVER { INT32 _tcpPort; } LP_TCP_SERVER;
typedef struct LP_TCP_CLIENT { const CHAR *_ip; INT32 _tcpPort; } LP_TCP_CLIENT;

typedef struct DEBUG_CONNECTION_INFO {
    DEBUG_CONNECTION_TYPE _type;
    BOOL _stopAtEntry;
    union { LP_TCP_SERVER _tcpServer; LP_TCP_CLIENT _tcpClient; };
} DEBUG_CONNECTION_INFO;

typedef struct DEBUG_MODE {
    DEBUG_CONNECTION_TYPE _type;
    UINT32 _options; /* DEBUG_MODE_OPTION bits */
    LP_TCP_CLIENT _tcpClient;
} DEBUG_MODE;

LP_END
#endif
