/* SPDX-License-Identifier: Apache-2.0
 * What tools are told of an instruction. The rows of the first table were compared with Intel's XED when they were written (bytes, class, category, extension, operands with
 * access, visibility and bits, text); where we differ on purpose a comment says so. The other tests are of the API functions and of addresses. */
#include "unit.h"

#include "api/ins_facts.h"
#include "arch/x86/cpu.h"
#include "arch/x86/regs.h"
#include "arch/x86/xed_names.h"
#include "linchpin/iarg.h"
#include "xed-interface.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>

#define PC 0x400000ul

/* --- what the modules need of the engine: one live instruction, and misuse that can be seen ------------------- */

static struct ins the_ins;
static u8 the_facts[sizeof(xed_decoded_inst_t)];
static jmp_buf misuse_jump;
static char misuse_call[64];

struct ins *ins_get(u32 id) { return id == 1 ? &the_ins : NULL; }
void rtn_walk_on(const struct ins *last) { (void)last; } /* no routine is open */

void *objects_alloc(size_t bytes)
{
    assert_true(bytes <= sizeof the_facts);
    memset(the_facts, 0, sizeof the_facts);
    return the_facts;
}

void api_misuse(const char *call, const char *file, int line, const char *fmt, ...)
{
    (void)file, (void)line, (void)fmt;
    snprintf(misuse_call, sizeof misuse_call, "%s", call);
    longjmp(misuse_jump, 1);
}

static u8 parse_bytes(const char *hex, u8 *out)
{
    u8 n = 0;
    for (unsigned byte; sscanf(hex + 2 * n, "%2x", &byte) == 1; n++)
        out[n] = (u8)byte;
    return n;
}

xed_decoded_inst_t *INS_XedDec(INS ins);

/* The instruction as a handle. */
static INS instruction(const char *hex)
{
    memset(&the_ins, 0, sizeof the_ins);
    the_ins.pc = PC;
    the_ins.len = parse_bytes(hex, the_ins.bytes);
    return (INS){ 1 };
}

/* --- the table ---------------------------------------------------------------------------------------------- */

struct row {
    const char *bytes, *names, *operands, *text;
};

/* operand: name:access:visibility:bits; @: the address register of a suppressed memory operand */
static const struct row rows[] = {
    /* Everywhere: XED also lists STACKPUSH, STACKPOP, X87PUSH, X87POP, which are no registers. */
    { "50", "PUSH PUSH BASE", "rax:r-:E:64 mem0:-w:S:64 @rsp:rw:S:64", "push rax" },
    { "ff30", "PUSH PUSH BASE", "mem0:r-:E:64 mem1:-w:S:64 @rsp:rw:S:64", "push qword ptr [rax]" },
    { "8f4008", "POP POP BASE", "mem0:-w:E:64 mem1:r-:S:64 @rsp:rw:S:64", "pop qword ptr [rax+0x8]" },
    { "668f00", "POP POP BASE", "mem0:-w:E:16 mem1:r-:S:16 @rsp:rw:S:64", "pop word ptr [rax]" },
    { "58", "POP POP BASE", "rax:-w:E:64 mem0:r-:S:64 @rsp:rw:S:64", "pop rax" },
    { "e800000000", "CALL_NEAR CALL BASE", "relbr:r-:E:32 rip:rw:S:64 mem0:-w:S:64 @rsp:rw:S:64", "call 0x400005" },
    { "ff10", "CALL_NEAR CALL BASE", "mem0:r-:E:64 rip:rw:S:64 mem1:-w:S:64 @rsp:rw:S:64", "call qword ptr [rax]" },
    { "ffd0", "CALL_NEAR CALL BASE", "rax:r-:E:64 rip:rw:S:64 mem0:-w:S:64 @rsp:rw:S:64", "call rax" },
    { "c3", "RET_NEAR RET BASE", "rip:-w:S:64 mem0:r-:S:64 @rsp:rw:S:64", "ret" },
    { "c20800", "RET_NEAR RET BASE", "imm0:r-:E:16 rip:-w:S:64 mem0:r-:S:64 @rsp:rw:S:64", "ret 0x8" },
    { "f3a4", "REP_MOVSB STRINGOP BASE", "mem0:-w:S:8 @rdi:rw:S:64 mem1:r-:S:8 @rsi:rw:S:64 rcx:rw:S:64 rflags:r-:S:64", "rep movsb byte ptr [rdi], byte ptr [rsi]" },
    { "a4", "MOVSB STRINGOP BASE", "mem0:-w:S:8 @rdi:rw:S:64 mem1:r-:S:8 @rsi:rw:S:64 rflags:r-:S:64", "movsb byte ptr [rdi], byte ptr [rsi]" },
    { "f348a5", "REP_MOVSQ STRINGOP LONGMODE", "mem0:-w:S:64 @rdi:rw:S:64 mem1:r-:S:64 @rsi:rw:S:64 rcx:rw:S:64 rflags:r-:S:64", "rep movsq qword ptr [rdi], qword ptr [rsi]" },
    { "f3a6", "REPE_CMPSB STRINGOP BASE", "mem0:r-:S:8 @rsi:rw:S:64 mem1:r-:S:8 @rdi:rw:S:64 rcx:rw:S:64 rflags:rw:S:64", "rep cmpsb byte ptr [rsi], byte ptr [rdi]" },
    { "f2ae", "REPNE_SCASB STRINGOP BASE", "al:r-:S:8 mem0:r-:S:8 @rdi:rw:S:64 rcx:rw:S:64 rflags:rw:S:64", "repne scasb byte ptr [rdi]" },
    { "ac", "LODSB STRINGOP BASE", "al:-w:S:8 mem0:r-:S:8 @rsi:rw:S:64 rflags:r-:S:64", "lodsb byte ptr [rsi]" },
    { "aa", "STOSB STRINGOP BASE", "mem0:-w:S:8 @rdi:rw:S:64 al:r-:S:8 rflags:r-:S:64", "stosb byte ptr [rdi]" },
    { "f3ab", "REP_STOSD STRINGOP BASE", "mem0:-w:S:32 @rdi:rw:S:64 eax:r-:S:32 rcx:rw:S:64 rflags:r-:S:64", "rep stosd dword ptr [rdi]" },
    { "8b03", "MOV DATAXFER BASE", "eax:-w:E:32 mem0:r-:E:32", "mov eax, dword ptr [rbx]" },
    { "64488b042528000000", "MOV DATAXFER BASE", "rax:-w:E:64 mem0:r-:E:64", "mov rax, qword ptr fs:[0x28]" },
    { "65488b00", "MOV DATAXFER BASE", "rax:-w:E:64 mem0:r-:E:64", "mov rax, qword ptr gs:[rax]" },
    { "488d057b000000", "LEA MISC BASE", "rax:-w:E:64 agen:r-:E:64", "lea rax, ptr [rip+0x7b]" },
    { "0f1f440000", "NOP WIDENOP BASE", "agen:r-:E:32", "nop dword ptr [rax+rax*1]" },  /* XED: a read of memory */
    { "90", "NOP NOP BASE", "", "nop" },
    { "0f1808", "PREFETCHT0 PREFETCH SSE", "mem0:r-:E:512", "prefetcht0 ptr [rax]" },
    { "0f0d08", "PREFETCHW PREFETCH 3DNOW_PREFETCH", "mem0:r-:E:512", "prefetchw ptr [rax]" },
    { "f00fb10b", "CMPXCHG_LOCK SEMAPHORE BASE", "mem0:rw:E:32 ecx:r-:E:32 eax:rw:S:32 rflags:-w:S:64", "lock cmpxchg dword ptr [rbx], ecx" },
    { "8703", "XCHG DATAXFER BASE", "mem0:rw:E:32 eax:rw:E:32", "xchg dword ptr [rbx], eax" },
    { "f0480fc11f", "XADD_LOCK SEMAPHORE BASE", "mem0:rw:E:64 rbx:rw:E:64 rflags:-w:S:64", "lock xadd qword ptr [rdi], rbx" },
    { "830001", "ADD BINARY BASE", "mem0:rw:E:32 imm0:r-:E:8 rflags:-w:S:64", "add dword ptr [rax], 0x1" },
    { "f20f1000", "MOVSD_XMM DATAXFER SSE2", "xmm0:-w:E:128 mem0:r-:E:64", "movsd xmm0, qword ptr [rax]" },
    { "f20f58c1", "ADDSD SSE SSE2", "xmm0:rw:E:64 xmm1:r-:E:64", "addsd xmm0, xmm1" },
    { "0f44c1", "CMOVZ CMOV BASE", "eax:-w:E:32 ecx:r-:E:32 rflags:r-:S:64", "cmovz eax, ecx" },
    { "0f4408", "CMOVZ CMOV BASE", "ecx:-w:E:32 mem0:r-:E:32 rflags:r-:S:64", "cmovz ecx, dword ptr [rax]" },
    { "eb10", "JMP UNCOND_BR BASE", "relbr:r-:E:8 rip:rw:S:64", "jmp 0x400012" },
    { "7410", "JZ COND_BR BASE", "relbr:r-:E:8 rip:rw:S:64 rflags:r-:S:64", "jz 0x400012" },
    { "ffe0", "JMP UNCOND_BR BASE", "rax:r-:E:64 rip:-w:S:64", "jmp rax" },
    { "ff20", "JMP UNCOND_BR BASE", "mem0:r-:E:64 rip:-w:S:64", "jmp qword ptr [rax]" },
    { "ff25e82d0000", "JMP UNCOND_BR BASE", "mem0:r-:E:64 rip:-w:S:64", "jmp qword ptr [rip+0x2de8]" },
    { "cb", "RET_FAR RET BASE", "rip:-w:S:64 mem0:r-:S:64 @rsp:rw:S:64", "ret far" },
    { "ff2b", "JMP_FAR UNCOND_BR BASE", "mem0:r-:E:48 rip:-w:S:64", "jmp far ptr [rbx]" },
    { "c9", "LEAVE MISC BASE", "mem0:r-:S:64 @rbp:r-:S:64 rbp:rw:S:64 rsp:rw:S:64", "leave" },
    { "c8100000", "ENTER MISC BASE", "imm0:r-:E:16 imm1:r-:E:8 rbp:rw:S:64 mem0:-w:S:64 @rsp:rw:S:64", "enter 0x10, 0x0" },
    { "0f05", "SYSCALL SYSCALL LONGMODE", "rip:-w:S:64 rcx:-w:S:64 r11:-w:S:64 rflags:-w:S:64", "syscall" },
    { "0f34", "SYSENTER SYSCALL BASE", "rip:-w:S:64 rsp:-w:S:64 rflags:-w:S:64", "sysenter" },
    { "cc", "INT3 INTERRUPT BASE", "rip:-w:S:64 rflags:rw:S:64", "int3" },
    { "cd80", "INT INTERRUPT BASE", "imm0:r-:E:8 rip:-w:S:64 rflags:rw:S:64", "int 0x80" },
    { "48cf", "IRETQ RET LONGMODE", "rip:-w:S:64 mem0:r-:S:320 @rsp:rw:S:64 rflags:rw:S:64", "iretq" },
    { "9c", "PUSHFQ PUSH LONGMODE", "mem0:-w:S:64 @rsp:rw:S:64 rflags:r-:S:64", "pushfq" },  /* XED: flags first */
    { "9d", "POPFQ POP LONGMODE", "mem0:r-:S:64 @rsp:rw:S:64 rflags:rw:S:64", "popfq" },  /* XED: flags first */
    { "d7", "XLAT MISC BASE", "mem0:r-:S:8 @rbx:r-:S:64 al:-w:S:8", "xlat" },
    { "660ff7c1", "MASKMOVDQU DATAXFER SSE2", "xmm0:r-:E:128 xmm1:r-:E:128 mem0:-w:S:128 @rdi:r-:S:64", "maskmovdqu xmm0, xmm1" },
    { "d900", "FLD X87_ALU X87", "st0:-w:I:80 mem0:r-:E:32 fpsw:-w:S:16", "fld st, dword ptr [rax]" },
    { "d8c1", "FADD X87_ALU X87", "st0:rw:I:80 st1:r-:E:80 fpsw:-w:S:16", "fadd st, st(1)" },
    { "dd18", "FSTP X87_ALU X87", "mem0:-w:E:64 st0:r-:I:80 fpsw:-w:S:16", "fstp qword ptr [rax], st" },
    { "0faee8", "LFENCE MISC SSE2", "", "lfence" },
    { "0fae00", "FXSAVE SSE SSE", "mem0:-w:E:4096", "fxsave ptr [rax]" },
    { "0fae20", "XSAVE XSAVE XSAVE", "mem0:rw:E:4608 edx:r-:S:32 eax:r-:S:32 xcr0:r-:S:64", "xsave ptr [rax]" },
    { "c5f877", "VZEROUPPER AVX AVX", "", "vzeroupper" },
    { "c4e26990048d00000000", "VPGATHERDD AVX2GATHER AVX2GATHER", "xmm0:rw:E:128 mem0:r-:E:32 xmm2:rw:E:128", "vpgatherdd xmm0, dword ptr [xmm1*4], xmm2" },
    { "62f27d49900c8500000000", "VPGATHERDD GATHER AVX512EVEX", "zmm1:rw:E:512 k1:rw:E:64 mem0:r-:E:32", "vpgatherdd zmm1{k1}, dword ptr [zmm0*4]" },  /* XED: mask as an operand */
    { "62f27d49a00c8500000000", "VPSCATTERDD SCATTER AVX512EVEX", "mem0:-w:E:32 k1:rw:E:64 zmm1:r-:E:512", "vpscatterdd dword ptr [zmm0*4]{k1}, zmm1" },  /* XED: mask as an operand */
    { "62f16c4958cb", "VADDPS AVX512 AVX512EVEX", "zmm1:rw:E:512 k1:r-:E:64 zmm2:r-:E:512 zmm3:r-:E:512", "vaddps zmm1{k1}, zmm2, zmm3" },
    { "62f16cd958cb", "VADDPS AVX512 AVX512EVEX", "zmm1:-w:E:512 k1:r-:E:64 zmm2:r-:E:512 zmm3:r-:E:512", "vaddps zmm1{k1}{z}{ru-sae}, zmm2, zmm3" },
    { "62f16c18580b", "VADDPS AVX512 AVX512EVEX", "xmm1:-w:E:128 k0:r-:E:64 xmm2:r-:E:128 mem0:r-:E:32", "vaddps xmm1, xmm2, dword ptr [rbx]{1to4}" },
    { "0fba2305", "BT BITBYTE BASE", "mem0:r-:E:32 imm0:r-:E:8 rflags:-w:S:64", "bt dword ptr [rbx], 0x5" },
    { "0fa303", "BT BITBYTE BASE", "mem0:r-:E:32 eax:r-:E:32 rflags:-w:S:64", "bt dword ptr [rbx], eax" },
    { "48c7c001000000", "MOV DATAXFER BASE", "rax:-w:E:64 imm0:r-:E:32", "mov rax, 0x1" },
    { "4883ec08", "SUB BINARY BASE", "rsp:rw:E:64 imm0:r-:E:8 rflags:-w:S:64", "sub rsp, 0x8" },
    { "4883c4f8", "ADD BINARY BASE", "rsp:rw:E:64 imm0:r-:E:8 rflags:-w:S:64", "add rsp, 0xfffffffffffffff8" },
    { "6a05", "PUSH PUSH BASE", "imm0:r-:E:8 mem0:-w:S:64 @rsp:rw:S:64", "push 0x5" },
    { "68ffffffff", "PUSH PUSH BASE", "imm0:r-:E:32 mem0:-w:S:64 @rsp:rw:S:64", "push 0xffffffffffffffff" },
    { "f30f1efa", "ENDBR64 CET CET", "", "endbr64" },
    { "e2fe", "LOOP COND_BR BASE", "relbr:r-:E:8 rcx:rw:S:64 rip:rw:S:64", "loop 0x400000" },
    { "e3fe", "JRCXZ COND_BR BASE", "relbr:r-:E:8 rcx:r-:S:64 rip:rw:S:64", "jrcxz 0x400000" },
    { "480fc70b", "CMPXCHG16B SEMAPHORE LONGMODE", "mem0:rw:E:128 rdx:rw:S:64 rax:rw:S:64 rcx:r-:S:64 rbx:r-:S:64 rflags:-w:S:64", "cmpxchg16b xmmword ptr [rbx]" },
    { "f30fbdc1", "LZCNT LZCNT LZCNT", "eax:-w:E:32 ecx:r-:E:32 rflags:-w:S:64", "lzcnt eax, ecx" },
    { "0fae38", "CLFLUSH MISC CLFSH", "mem0:r-:E:512", "clflush ptr [rax]" },
    { "0f1600", "MOVHPS DATAXFER SSE", "xmm0:rw:E:64 mem0:r-:E:64", "movhps xmm0, qword ptr [rax]" },
    { "0f16fa", "MOVLHPS DATAXFER SSE", "xmm7:rw:E:64 xmm2:r-:E:64", "movlhps xmm7, xmm2" },
    { "f30f5ac0", "CVTSS2SD CONVERT SSE2", "xmm0:rw:E:64 xmm0:r-:E:32", "cvtss2sd xmm0, xmm0" },
    { "f20f51c0", "SQRTSD SSE SSE2", "xmm0:rw:E:64 xmm0:r-:E:64", "sqrtsd xmm0, xmm0" },
    { "664c0f38f6c9", "ADCX ADOX_ADCX ADOX_ADCX", "r9:rw:E:64 rcx:r-:E:64 rflags:rw:S:64", "adcx r9, rcx" },
    { "f5", "CMC FLAGOP BASE", "rflags:rw:S:64", "cmc" },
    { "666303", "MOVSXD DATAXFER LONGMODE", "ax:-w:E:16 mem0:r-:E:16", "movsxd ax, word ptr [rbx]" },
    { "0fe403", "PMULHUW MMX SSE", "mm0:rw:E:64 mem0:r-:E:64", "pmulhuw mm0, qword ptr [rbx]" },
    { "0fd403", "PADDQ MMX MMX", "mm0:rw:E:64 mem0:r-:E:64", "paddq mm0, qword ptr [rbx]" },
    { "0f22d8", "MOV_CR DATAXFER BASE", "cr3:-w:E:64 rax:r-:E:64", "mov cr3, rax" },
    { "0f0b", "UD2 MISC BASE", "", "ud2" },
    { "f4", "HLT SYSTEM BASE", "", "hlt" },
    { "0fa2", "CPUID MISC BASE", "eax:rw:S:32 ebx:-w:S:32 ecx:rw:S:32 edx:-w:S:32", "cpuid" },
    { "0f31", "RDTSC SYSTEM BASE", "eax:-w:S:32 edx:-w:S:32", "rdtsc" },
    { "c7f800000000", "XBEGIN COND_BR RTM", "relbr:r-:E:32 rip:rw:S:64 eax:-w:S:32", "xbegin 0x400006" },  /* XED: rip of 32 bits */
    { "f390", "PAUSE MISC PAUSE", "", "pause" },
    { "f2e900000000", "JMP UNCOND_BR BASE", "relbr:r-:E:32 rip:rw:S:64", "bnd jmp 0x400006" },
    { "3effe0", "JMP UNCOND_BR BASE", "rax:r-:E:64 rip:-w:S:64", "notrack jmp rax" },
    { "67488b03", "MOV DATAXFER BASE", "rax:-w:E:64 mem0:r-:E:64", "mov rax, qword ptr [ebx]" },
    { "48a11122334455667788", "MOV DATAXFER BASE", "rax:-w:I:64 mem0:r-:E:64", "mov rax, qword ptr [0x8877665544332211]" },
    { "d3e0", "SHL SHIFT BASE", "eax:rw:E:32 cl:r-:I:8 rflags:-w:S:64", "shl eax, cl" },
    { "f7f1", "DIV BINARY BASE", "ecx:r-:E:32 eax:rw:S:32 edx:rw:S:32 rflags:-w:S:64", "div ecx" },
    { "c5fd6f0424", "VMOVDQA DATAXFER AVX", "ymm0:-w:E:256 mem0:r-:E:256", "vmovdqa ymm0, ymmword ptr [rsp]" },
    { "c4e37d19ca01", "VEXTRACTF128 AVX AVX", "xmm2:-w:E:128 ymm1:r-:E:128 imm0:r-:E:8", "vextractf128 xmm2, ymm1, 0x1" },  /* XED: 256 bits read */
    { "660f3a15c001", "PEXTRW_SSE4 SSE SSE4", "eax:-w:E:32 xmm0:r-:E:128 imm0:r-:E:8", "pextrw eax, xmm0, 0x1" },
    { "dada", "FCMOVU FCMOV X87", "st0:-w:I:80 st2:r-:E:80 rflags:rw:S:64 fpsw:-w:S:16", "fcmovu st, st(2)" },
    { "0fc7f0", "RDRAND RDRAND RDRAND", "eax:-w:E:32 rflags:-w:S:64", "rdrand eax" },
    { "0f12c8", "MOVHLPS DATAXFER SSE", "xmm1:rw:E:64 xmm0:r-:E:64", "movhlps xmm1, xmm0" },
    { "660f164f08", "MOVHPD DATAXFER SSE2", "xmm1:rw:E:64 mem0:r-:E:64", "movhpd xmm1, qword ptr [rdi+0x8]" },
    { "0f1200", "MOVLPS DATAXFER SSE", "xmm0:rw:E:64 mem0:r-:E:64", "movlps xmm0, qword ptr [rax]" },
    { "660f120f", "MOVLPD DATAXFER SSE2", "xmm1:rw:E:64 mem0:r-:E:64", "movlpd xmm1, qword ptr [rdi]" },
    { "f20f5ac0", "CVTSD2SS CONVERT SSE2", "xmm0:rw:E:32 xmm0:r-:E:64", "cvtsd2ss xmm0, xmm0" },
    { "f2480f2ac0", "CVTSI2SD CONVERT SSE2", "xmm0:rw:E:64 rax:r-:E:64", "cvtsi2sd xmm0, rax" },
    { "f30f2a00", "CVTSI2SS CONVERT SSE", "xmm0:rw:E:32 mem0:r-:E:32", "cvtsi2ss xmm0, dword ptr [rax]" },
    { "0f2a03", "CVTPI2PS CONVERT SSE", "xmm0:rw:E:64 mem0:r-:E:64", "cvtpi2ps xmm0, qword ptr [rbx]" },
    { "f30f51c0", "SQRTSS SSE SSE", "xmm0:rw:E:32 xmm0:r-:E:32", "sqrtss xmm0, xmm0" },
    { "f30f53c1", "RCPSS SSE SSE", "xmm0:rw:E:32 xmm1:r-:E:32", "rcpss xmm0, xmm1" },
    { "f30f52c1", "RSQRTSS SSE SSE", "xmm0:rw:E:32 xmm1:r-:E:32", "rsqrtss xmm0, xmm1" },
    { "dfe0", "FNSTSW X87_ALU X87", "ax:-w:I:16 fpsw:rw:S:16", "fnstsw ax" },
    { "dd38", "FNSTSW X87_ALU X87", "mem0:-w:E:16 fpsw:rw:S:16", "fnstsw word ptr [rax]" },
    { "ded9", "FCOMPP X87_ALU X87", "st0:r-:S:80 st1:r-:S:80 fpsw:rw:S:16", "fcompp" },
    { "ddeb", "FUCOMP X87_ALU X87", "st0:r-:I:80 st3:r-:E:80 fpsw:rw:S:16", "fucomp st, st(3)" },
    { "dae9", "FUCOMPP X87_ALU X87", "st0:r-:S:80 st1:r-:S:80 fpsw:rw:S:16", "fucompp" },
    { "660f3a0bc004", "ROUNDSD SSE SSE4", "xmm0:rw:E:64 xmm0:r-:E:64 imm0:r-:E:8", "roundsd xmm0, xmm0, 0x4" },
    { "660f3a0ac004", "ROUNDSS SSE SSE4", "xmm0:rw:E:32 xmm0:r-:E:32 imm0:r-:E:8", "roundss xmm0, xmm0, 0x4" },
    { "f34d0f38f6c0", "ADOX ADOX_ADCX ADOX_ADCX", "r8:rw:E:64 r8:r-:E:64 rflags:rw:S:64", "adox r8, r8" },
    { "0fd7ca", "PMOVMSKB MMX SSE", "ecx:-w:E:32 mm2:r-:E:64", "pmovmskb ecx, mm2" },
    { "f30f09", "WBNOINVD SYSTEM WBNOINVD", "", "wbnoinvd" },
    { "c4e2685ec1", "TDPBUUD AMX_TILE AMX_TILE", "tmm0:rw:E:8192 tmm1:r-:E:8192 tmm2:r-:E:8192", "tdpbuud tmm0, tmm1, tmm2" },  /* XED: no size for tiles */
    { "c4e26a5cc1", "TDPBF16PS AMX_TILE AMX_TILE", "tmm0:rw:E:8192 tmm1:r-:E:8192 tmm2:r-:E:8192", "tdpbf16ps tmm0, tmm1, tmm2" },  /* XED: no size for tiles */
    { "0f0d03", "PREFETCH_EXCLUSIVE PREFETCH 3DNOW_PREFETCH", "mem0:r-:E:512", "prefetch ptr [rbx]" },
    { "0f0d1b", "PREFETCHW PREFETCH 3DNOW_PREFETCH", "mem0:r-:E:512", "prefetchw ptr [rbx]" },
    { "0f0d23", "PREFETCH_RESERVED PREFETCH 3DNOW_PREFETCH", "mem0:r-:E:512", "prefetch_reserved ptr [rbx]" },
    { "0f0d13", "PREFETCHWT1 PREFETCHWT1 PREFETCHWT1", "mem0:r-:E:512", "prefetchwt1 ptr [rbx]" },
    { "0f23d8", "MOV_DR DATAXFER BASE", "dr3:-w:E:64 rax:r-:E:64", "mov dr3, rax" },
    { "66480f3a610311", "PCMPESTRI64 SSE SSE4", "xmm0:r-:E:128 mem0:r-:E:128 imm0:r-:E:8 rax:r-:S:64 rdx:r-:S:64 ecx:-w:S:32 rflags:-w:S:64", "pcmpestri xmm0, xmmword ptr [rbx], 0x11" },  /* XED: rcx */
    { "66480f3a600311", "PCMPESTRM64 SSE SSE4", "xmm0:r-:E:128 mem0:r-:E:128 imm0:r-:E:8 rax:r-:S:64 rdx:r-:S:64 xmm0:-w:S:128 rflags:-w:S:64", "pcmpestrm xmm0, xmmword ptr [rbx], 0x11" },
    { "66480f3a630311", "PCMPISTRI64 SSE SSE4", "xmm0:r-:E:128 mem0:r-:E:128 imm0:r-:E:8 ecx:-w:S:32 rflags:-w:S:64", "pcmpistri xmm0, xmmword ptr [rbx], 0x11" },  /* XED: rcx */
    { "c5f9c5c101", "VPEXTRW AVX AVX", "eax:-w:E:32 xmm1:r-:E:128 imm0:r-:E:8", "vpextrw eax, xmm1, 0x1" },
    { "480f07", "SYSRET64 SYSRET LONGMODE", "rip:-w:S:64 rcx:r-:S:64 r11:r-:S:64 cs:-w:S:16 ss:-w:S:16 rflags:-w:S:64", "sysret" },
    { "6c", "INSB IOSTRINGOP BASE", "mem0:-w:S:8 @rdi:rw:S:64 dx:r-:S:16 rflags:r-:S:64", "insb" },
    { "6f", "OUTSD IOSTRINGOP BASE", "dx:r-:S:16 mem0:r-:S:32 @rsi:rw:S:64 rflags:r-:S:64", "outsd" },
    { "f3a5", "REP_MOVSD STRINGOP BASE", "mem0:-w:S:32 @rdi:rw:S:64 mem1:r-:S:32 @rsi:rw:S:64 rcx:rw:S:64 rflags:r-:S:64", "rep movsd dword ptr [rdi], dword ptr [rsi]" },
    { "f266a7", "REPNE_CMPSW STRINGOP BASE", "mem0:r-:S:16 @rsi:rw:S:64 mem1:r-:S:16 @rdi:rw:S:64 rcx:rw:S:64 rflags:rw:S:64", "repne cmpsw word ptr [rsi], word ptr [rdi]" },
    { "f20fc2c100", "CMPSD_XMM SSE SSE2", "xmm0:rw:E:64 xmm1:r-:E:64 imm0:r-:E:8", "cmpsd xmm0, xmm1, 0x0" },
    { "a7", "CMPSD STRINGOP BASE", "mem0:r-:S:32 @rsi:rw:S:64 mem1:r-:S:32 @rdi:rw:S:64 rflags:rw:S:64", "cmpsd dword ptr [rsi], dword ptr [rdi]" },
    { "0f0100", "SGDT SYSTEM BASE", "mem0:-w:E:80 gdtr:r-:S:0", "sgdt ptr [rax]" },
    { "0f18c0", "NOP WIDENOP BASE", "eax:r-:E:32", "nop eax" },
    { "0f0d0b", "PREFETCHW PREFETCH 3DNOW_PREFETCH", "mem0:r-:E:512", "prefetchw ptr [rbx]" },
    { "f0830001", "ADD_LOCK BINARY BASE", "mem0:rw:E:32 imm0:r-:E:8 rflags:-w:S:64", "lock add dword ptr [rax], 0x1" },
    { "f00fc70b", "CMPXCHG8B_LOCK SEMAPHORE BASE", "mem0:rw:E:64 edx:rw:S:32 eax:rw:S:32 ecx:r-:S:32 ebx:r-:S:32 rflags:-w:S:64", "lock cmpxchg8b qword ptr [rbx]" },
    { "fa", "CLI FLAGOP BASE", "rflags:rw:S:64", "cli" },
    { "0f1b03", "BNDSTX MPX MPX", "agen:r-:E:192 bnd0:r-:E:128", "bndstx ptr [rbx], bnd0" },  /* XED: a write of memory */
    { "0f01c8", "MONITOR MISC MONITOR", "rax:r-:S:64 rcx:r-:S:64 rdx:r-:S:64", "monitor" },  /* XED: ecx, edx */
    { "e4b0", "IN IO BASE", "al:-w:I:8 imm0:r-:E:8 rflags:r-:S:64", "in al, 0xb0" },
    { "8cd8", "MOV DATAXFER BASE", "eax:-w:E:32 ds:r-:E:16", "mov eax, ds" },
    { "0fa0", "PUSH PUSH BASE", "fs:r-:I:16 mem0:-w:S:64 @rsp:rw:S:64", "push fs" },
    { "ff1a", "CALL_FAR CALL BASE", "mem0:r-:E:48 rip:-w:S:64 mem1:-w:S:64 @rsp:rw:S:64", "call far ptr [rdx]" },
    { "8fea7810c011223344", "BEXTR_XOP TBM TBM", "eax:-w:E:32 eax:r-:E:32 imm0:r-:E:32 rflags:-w:S:64", "bextr eax, eax, 0x44332211" },
    { "62f17d08c5c101", "VPEXTRW_C5 AVX512 AVX512EVEX", "eax:-w:E:32 xmm1:r-:E:128 imm0:r-:E:8", "vpextrw eax, xmm1, 0x1" },
};

static void describe_operand(const struct fact_operand *o, char *out, size_t bytes)
{
    static const char *const kinds[] = { [FACT_AGEN] = "agen", [FACT_BRANCH] = "relbr", [FACT_POINTER] = "ptr" };
    char name[16];
    if (o->kind == FACT_REG)
        snprintf(name, sizeof name, "%s%s", o->is_base ? "@" : "", regs_row(o->reg) ? regs_row(o->reg)->text : "?");
    else if (o->kind == FACT_MEM)
        snprintf(name, sizeof name, "mem%d", o->memory);
    else if (o->kind == FACT_IMM)
        snprintf(name, sizeof name, "imm%d", o->name - XED_OPERAND_IMM0);
    else
        snprintf(name, sizeof name, "%s", kinds[o->kind]);
    snprintf(out, bytes, "%s:%c%c:%c:%u", name, o->read ? 'r' : '-', o->written ? 'w' : '-', "EIS"[o->visibility], o->bits);
}

static void describe(const struct ins_facts *f, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = 0;
    for (u32 i = 0; i < f->noperands; i++) {
        char one[40];
        describe_operand(&f->op[i], one, sizeof one);
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", i ? " " : "", one);
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct row *r = &rows[i];
        char names[80], operands[400];
        INS ins = instruction(r->bytes);
        const struct ins_facts *f = facts_of(&the_ins);
        assert_false(f->flags & FACT_FLAG_BAD);
        assert_int_equal(f->len, the_ins.len);
        snprintf(names, sizeof names, "%s %s %s", INS_Mnemonic(ins), CATEGORY_StringShort((UINT32)INS_Category(ins)), EXTENSION_StringShort((UINT32)INS_Extension(ins)));
        describe(f, operands, sizeof operands);
        assert_string_equal(names, r->names);
        assert_string_equal(operands, r->operands);
        assert_string_equal(INS_Disassemble(ins), r->text);
    }
}

/* --- kinds -------------------------------------------------------------------------------------------------- */

enum kind {
    BRANCH = 1, CALL = 2, RET = 4, DIRECT = 8, FALLS = 16, SYSCALL = 32, PREDICATED = 64, ATOMIC = 128, READ = 256, WRITE = 512, READ2 = 1024, STACK_READ = 2048,
    STACK_WRITE = 4096, PREFETCH = 8192, NOP = 16384, REP = 32768, INTERRUPT = 65536, STANDARD = 131072,
};

static u32 kinds_of(INS ins)
{
    return (INS_IsBranch(ins) ? BRANCH : 0) | (INS_IsCall(ins) ? CALL : 0) | (INS_IsRet(ins) ? RET : 0) | (INS_IsDirectControlFlow(ins) ? DIRECT : 0)
        | (INS_HasFallThrough(ins) ? FALLS : 0) | (INS_IsSyscall(ins) ? SYSCALL : 0) | (INS_IsPredicated(ins) ? PREDICATED : 0)
        | (INS_IsAtomicUpdate(ins) ? ATOMIC : 0) | (INS_IsMemoryRead(ins) ? READ : 0) | (INS_IsMemoryWrite(ins) ? WRITE : 0)
        | (INS_HasMemoryRead2(ins) ? READ2 : 0) | (INS_IsStackRead(ins) ? STACK_READ : 0) | (INS_IsStackWrite(ins) ? STACK_WRITE : 0)
        | (INS_IsPrefetch(ins) ? PREFETCH : 0) | (INS_IsNop(ins) ? NOP : 0) | (INS_HasRealRep(ins) ? REP : 0) | (INS_IsInterrupt(ins) ? INTERRUPT : 0)
        | (INS_IsStandardMemop(ins) ? STANDARD : 0);
}

static void test_kinds(void **state)
{
    static const struct { const char *bytes; u32 kinds; } table[] = {
        { "50", FALLS | WRITE | STACK_WRITE | STANDARD },                                  /* push rax */
        { "ff30", FALLS | READ | WRITE | STACK_WRITE | STANDARD },                         /* push [rax] */
        { "58", FALLS | READ | STACK_READ | STANDARD },                                    /* pop rax */
        { "e800000000", CALL | DIRECT | WRITE | STACK_WRITE | STANDARD },
        { "ff10", CALL | READ | WRITE | STACK_WRITE | STANDARD },                          /* call [rax] */
        { "c3", RET | READ | STACK_READ | STANDARD },
        { "48cf", RET | READ | STACK_READ | STANDARD },                                    /* iretq */
        { "eb10", BRANCH | DIRECT }, { "7410", BRANCH | DIRECT | FALLS }, { "e2fe", BRANCH | DIRECT | FALLS }, { "ffe0", BRANCH },
        { "ff20", BRANCH | READ | STANDARD },                                              /* jmp [rax] */
        { "c7f800000000", FALLS },                                                         /* xbegin is no branch */
        { "0f05", FALLS | SYSCALL }, { "0f34", FALLS | SYSCALL }, { "cd80", FALLS | SYSCALL | INTERRUPT }, { "cc", FALLS | INTERRUPT },
        { "cd81", FALLS | INTERRUPT }, { "0f0b", 0 },
        { "f3a4", FALLS | PREDICATED | REP | READ | WRITE | STANDARD }, { "a4", FALLS | READ | WRITE | STANDARD },
        { "f3a6", FALLS | PREDICATED | REP | READ | READ2 | STANDARD },
        { "f30f1000", FALLS | READ | STANDARD },                                           /* F3 is no REP in movss */
        { "f3c3", RET | READ | STACK_READ | STANDARD },                                    /* nor in rep ret */
        { "0f44c1", FALLS | PREDICATED }, { "0f4408", FALLS | PREDICATED | READ | STANDARD },
        { "0f94c0", FALLS },                                                               /* setz is not predicated */
        { "f00fb10b", FALLS | ATOMIC | READ | WRITE | STANDARD }, { "0fb10b", FALLS | READ | WRITE | STANDARD },
        { "8703", FALLS | ATOMIC | READ | WRITE | STANDARD }, { "87d8", FALLS },
        { "488d4508", FALLS }, { "0f1f440000", FALLS | NOP }, { "90", FALLS | NOP }, { "d9d0", FALLS | NOP },
        { "0f1808", FALLS | PREFETCH | READ | STANDARD },
        { "8b4508", FALLS | READ | STACK_READ | STANDARD }, { "895c2408", FALLS | WRITE | STACK_WRITE | STANDARD },
        { "c9", FALLS | READ | STACK_READ | STANDARD },
        { "0fae20", FALLS | READ | WRITE }, { "c4e26990048d00000000", FALLS | READ },      /* xsave, vpgatherdd: not standard */
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        u32 kinds = kinds_of(instruction(table[i].bytes)), wanted = table[i].kinds;
        wanted |= wanted & (READ | WRITE) ? 0 : STANDARD; /* no memory, nothing that is not standard */
        if (kinds != wanted)
            print_error("%s: 0x%x, expected 0x%x\n", table[i].bytes, kinds, wanted);
        assert_int_equal(kinds, wanted);
    }
}

static void test_control_flow(void **state)
{
    (void)state;
    assert_int_equal(INS_DirectControlFlowTargetAddress(instruction("eb10")), PC + 0x12);
    assert_int_equal(INS_DirectControlFlowTargetAddress(instruction("e8fbffffff")), PC);
    assert_int_equal(INS_NextAddress(instruction("e8fbffffff")), PC + 5);
    assert_true(INS_IsPcMaterialization(instruction("e800000000")));
    assert_false(INS_IsProcedureCall(instruction("e800000000")));
    assert_true(INS_IsProcedureCall(instruction("e801000000")));
    assert_true(INS_IsFarRet(instruction("cb")));
    assert_true(INS_IsFarJump(instruction("ff2b")));
    assert_true(INS_IsIndirectControlFlow(instruction("c3")));
    assert_true(INS_BranchNotTakenPrefix(instruction("2e7410")));
    assert_int_equal(INS_SyscallStd(instruction("0f05")), SYSCALL_STANDARD_IA32E_LINUX);
    assert_int_equal(INS_SyscallStd(instruction("90")), SYSCALL_STANDARD_INVALID);
    assert_int_equal(INS_GetPredicate(instruction("0f44c1")), PREDICATE_ZERO);
    assert_int_equal(INS_GetPredicate(instruction("f3a4")), PREDICATE_RCX_NON_ZERO);
    assert_int_equal(INS_RepCountRegister(instruction("67f3a4")), REG_ECX);
    assert_int_equal(INS_RepCountRegister(instruction("a4")), REG_INVALID_);
    assert_true(INS_IsValidForIarg(instruction("8b03"), (IARG_TYPE)IARG_MEMORYREAD_EA));
    assert_false(INS_IsValidForIarg(instruction("8b03"), (IARG_TYPE)IARG_MEMORYWRITE_EA));
}

/* --- registers and operands --------------------------------------------------------------------------------- */

static void test_registers(void **state)
{
    (void)state;
    INS ins = instruction("488b44cb08"); /* mov rax, [rbx+rcx*8+8] */
    assert_int_equal(INS_MaxNumRRegs(ins), 2);
    assert_true(INS_RegRContain(ins, REG_RBX) && INS_RegRContain(ins, REG_RCX));
    assert_true(INS_RegWContain(ins, REG_RAX) && !INS_RegWContain(ins, REG_EAX) && INS_FullRegWContain(ins, REG_AL));
    assert_int_equal(INS_RegW(ins, 5), REG_INVALID_);
    assert_int_equal(INS_OperandMemoryBaseReg(ins, 1), REG_RBX);
    assert_int_equal(INS_OperandMemoryIndexReg(ins, 1), REG_RCX);
    assert_int_equal(INS_OperandMemoryScale(ins, 1), 8);
    assert_int_equal(INS_OperandMemoryDisplacement(ins, 1), 8);
    assert_int_equal(INS_MemoryOperandIndexToOperandIndex(ins, 0), 1);
    ins = instruction("f348a5"); /* rep movsq: addresses are read and written */
    assert_true(INS_RegRContain(ins, REG_RSI) && INS_RegRContain(ins, REG_RDI) && INS_RegRContain(ins, REG_RCX));
    assert_true(INS_RegWContain(ins, REG_RSI) && INS_RegWContain(ins, REG_RDI) && INS_RegWContain(ins, REG_RCX));
    ins = instruction("50"); /* push: stack pointer */
    assert_true(INS_RegRContain(ins, REG_STACK_PTR) && INS_RegWContain(ins, REG_STACK_PTR) && INS_RegIsImplicit(ins, REG_STACK_PTR));
    ins = instruction("7410"); /* jz */
    assert_true(INS_RegRContain(ins, REG_GFLAGS) && INS_RegRContain(ins, REG_INST_PTR) && INS_RegWContain(ins, REG_INST_PTR));
    ins = instruction("64488b042528000000");
    assert_true(INS_RegRContain(ins, REG_SEG_FS) && INS_SegPrefixIsMemoryRead(ins));
    assert_int_equal(INS_SegmentRegPrefix(ins), REG_SEG_FS);
    assert_int_equal(INS_MemoryDisplacement(ins), 0x28);
}

static void test_operands(void **state)
{
    (void)state;
    INS ins = instruction("4883c4f8"); /* add rsp, -8 */
    assert_true(INS_OperandIsImmediate(ins, 1));
    assert_int_equal(INS_OperandImmediate(ins, 1), (UINT64)-8);
    assert_true(INS_OperandReadAndWritten(ins, 0) && INS_OperandReadOnly(ins, 1) && INS_OperandIsImplicit(ins, 2));
    ins = instruction("488d4508");
    assert_true(INS_OperandIsAddressGenerator(ins, 1) && !INS_OperandIsMemory(ins, 1));
    assert_int_equal(INS_MemoryOperandCount(ins), 0);
    assert_true(INS_HasExplicitMemoryReference(ins));
    ins = instruction("62f27d49900c8500000000"); /* vpgatherdd zmm1{k1}, [zmm0*4] */
    assert_true(INS_IsVgather(ins) && INS_HasScatteredMemoryAccess(ins));
    assert_int_equal(INS_MemoryOperandElementCount(ins, 0), 16);
    assert_int_equal(INS_MemoryOperandElementSize(ins, 0), 4);
    assert_int_equal(INS_MaskRegister(ins), REG_K1);
    assert_int_equal(INS_MemoryOperandElementCount(instruction("c4e2e992048d00000000"), 0), 2); /* vgatherdpd xmm: two of four indices */
}

static void test_misuse(void **state)
{
    (void)state;
    volatile int step = 0;
    if (setjmp(misuse_jump) == 0) {
        INS_OperandReg(instruction("90"), 0);
        fail_msg("an operand that is not there was given");
    }
    assert_string_equal(misuse_call, "INS_OperandReg");
    if (setjmp(misuse_jump) == 0) {
        step = 1;
        INS_Address((INS){ 7 });
        fail_msg("an invalid handle was taken");
    }
    assert_int_equal(step, 1);
    assert_string_equal(misuse_call, "INS_Address");
    assert_false(INS_Valid((INS){ 7 }));
}

/* --- addresses ---------------------------------------------------------------------------------------------- */

static void test_addresses(void **state)
{
    static const struct {
        const char *bytes;
        u32 n;
        struct mem_operand m;
    } table[] = {
#define NO MEM_NO_REG
        /* kind, seg, base, index, bit, scale, addr32, addr16, read, written, conditional, index_reg, elements, bytes, disp, absolute */
        { "8b44cb08", 0, { MEM_NORMAL, 0, RBX, RCX, NO, 8, 0, 0, 1, 0, 0, REG_RCX, 1, 4, 8, 0 } },
        { "8b05f8ffffff", 0, { MEM_NORMAL, 0, MEM_RIP, NO, NO, 1, 0, 0, 1, 0, 0, 0, 1, 4, -8, PC - 2 } },
        { "64488b042528000000", 0, { MEM_NORMAL, MEM_SEG_FS, NO, NO, NO, 1, 0, 0, 1, 0, 0, 0, 1, 8, 0x28, 0x28 } },
        { "65488b00", 0, { MEM_NORMAL, MEM_SEG_GS, RAX, NO, NO, 1, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0 } },
        { "67488b43f0", 0, { MEM_NORMAL, 0, RBX, NO, NO, 1, 1, 0, 1, 0, 0, 0, 1, 8, -16, 0 } },
        { "48a11122334455667788", 0, { MEM_NORMAL, 0, NO, NO, NO, 1, 0, 0, 1, 0, 0, 0, 1, 8, (s64)0x8877665544332211ul, 0x8877665544332211ul } },
        { "50", 0, { MEM_PUSH, 0, RSP, NO, NO, 1, 0, 0, 0, 1, 0, 0, 1, 8, -8, 0 } },
        { "6650", 0, { MEM_PUSH, 0, RSP, NO, NO, 1, 0, 0, 0, 1, 0, 0, 1, 2, -2, 0 } },
        { "ff742408", 0, { MEM_NORMAL, 0, RSP, NO, NO, 1, 0, 0, 1, 0, 0, 0, 1, 8, 8, 0 } },
        { "ff742408", 1, { MEM_PUSH, 0, RSP, NO, NO, 1, 0, 0, 0, 1, 0, 0, 1, 8, -8, 0 } },
        { "8f442408", 0, { MEM_NORMAL, 0, RSP, NO, NO, 1, 0, 0, 0, 1, 0, 0, 1, 8, 16, 0 } }, /* after the increment */
        { "8f442408", 1, { MEM_POP, 0, RSP, NO, NO, 1, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0 } },
        { "c3", 0, { MEM_POP, 0, RSP, NO, NO, 1, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0 } },
        { "e800000000", 0, { MEM_PUSH, 0, RSP, NO, NO, 1, 0, 0, 0, 1, 0, 0, 1, 8, -8, 0 } },
        { "c9", 0, { MEM_NORMAL, 0, RBP, NO, NO, 1, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0 } },
        { "a4", 0, { MEM_STRING, 0, RDI, NO, NO, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0 } },
        { "64a4", 1, { MEM_STRING, MEM_SEG_FS, RSI, NO, NO, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0 } },
        { "d7", 0, { MEM_XLAT, 0, RBX, RAX, NO, 1, 0, 0, 1, 0, 0, REG_AL, 1, 1, 0, 0 } },
        { "c4e26990048d00000000", 0, { MEM_VSIB, 0, NO, NO, NO, 4, 0, 0, 1, 0, 0, REG_XMM1, 4, 4, 0, 0 } },
        { "660ff7c1", 0, { MEM_NORMAL, 0, RDI, NO, NO, 1, 0, 0, 0, 1, 0, 0, 1, 16, 0, 0 } },
        { "0fa318", 0, { MEM_BIT, 0, RAX, NO, RBX, 1, 0, 0, 1, 0, 0, 0, 1, 4, 0, 0 } },
        { "c8100001", 0, { MEM_OTHER, 0, RSP, NO, NO, 1, 0, 0, 0, 1, 0, 0, 1, 8, 0, 0 } },
#undef NO
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct mem_operand m;
        const struct mem_operand *x = &table[i].m;
        instruction(table[i].bytes);
        assert_true(facts_mem_operand(&the_ins, table[i].n, &m));
        if (m.kind != x->kind || m.seg != x->seg || m.base != x->base || m.index != x->index || m.scale != x->scale || m.addr32 != x->addr32
            || m.read != x->read || m.written != x->written || m.index_reg != x->index_reg || m.elements != x->elements || m.bytes != x->bytes
            || m.disp != x->disp || (m.kind == MEM_BIT && m.bit != x->bit) || (m.base == MEM_RIP && m.absolute != x->absolute))
            fail_msg("%s: kind %d seg %d base %d index %d scale %d disp %ld bytes %u elements %d", table[i].bytes, m.kind, m.seg, m.base, m.index, m.scale, (long)m.disp,
                     m.bytes, m.elements);
        assert_false(facts_mem_operand(&the_ins, 3, &m));
    }
}

/* --- registers by number ------------------------------------------------------------------------------------ */

static void test_reg_table(void **state)
{
    (void)state;
    /* numbers that trace formats have written down */
    assert_int_equal(REG_STACK_PTR, 6);
    assert_int_equal(REG_GFLAGS, 25);
    assert_int_equal(REG_INST_PTR, 26);
    assert_int_equal(REG_XMM0, 91);
    assert_int_equal(REG_APPLICATION_LAST, 245);
    for (u32 z = 1; z <= ZYDIS_REGISTER_MAX_VALUE; z++)
        if (regs_from_zydis(z))
            assert_int_equal(regs_to_zydis(regs_from_zydis(z)), z);
    static const struct { u16 reg; int number; unsigned offset, bytes; } gprs[] = {
        { REG_RAX, RAX, 0, 8 }, { REG_ECX, RCX, 0, 4 }, { REG_DX, RDX, 0, 2 }, { REG_BL, RBX, 0, 1 }, { REG_BH, RBX, 1, 1 }, { REG_SPL, RSP, 0, 1 },
        { REG_R15D, R15, 0, 4 }, { REG_RDI, RDI, 0, 8 },
    };
    unsigned offset, bytes;
    for (size_t i = 0; i < ARRAY_LEN(gprs); i++) {
        assert_int_equal(regs_gpr_number(gprs[i].reg, &offset, &bytes), gprs[i].number);
        assert_int_equal(offset, gprs[i].offset);
        assert_int_equal(bytes, gprs[i].bytes);
    }
    assert_int_equal(regs_gpr_number(REG_XMM0, &offset, &bytes), -1);
    assert_string_equal(REG_StringShort(REG_INST_G29), "inst_g29");
    assert_string_equal(REG_StringShort((REG)10000), "*invalid*");
    assert_true(REG_is_gr(REG_RAX) && !REG_is_gr(REG_EAX) && REG_is_gr32(REG_EAX) && REG_is_partialreg(REG_AH));
    assert_int_equal(REG_FullRegName(REG_AH), REG_RAX);
    assert_int_equal(REG_FullRegName(REG_EFLAGS), REG_GFLAGS);
    assert_int_equal(REG_Size(REG_ST0), 10);
    assert_int_equal(REG_Width(REG_ZMM3), REGWIDTH_512);
    assert_int_equal(REG_corresponding_ymm_reg(REG_XMM5), REG_YMM5);
}

static void test_x87_tags(void **state)
{
    (void)state;
    FXSAVE fx;
    memset(&fx, 0, sizeof fx);
    fx._fsw = 6 << 11;                                   /* st0 is register 6 */
    fx._ftw = 1 << 6 | 1 << 7;
    memcpy(fx._st, "\0\0\0\0\0\0\0\x80\xff\x3f", 10);      /* 1.0: valid; st1, in register 7, is zero */
    assert_int_equal(REG_ConvertX87AbridgedTagToFull(&fx), 0x4fff);
    assert_int_equal(REG_ConvertX87FullTagToAbridged(0x4fff), 0xc0);
}

/* --- XED's interface ---------------------------------------------------------------------------------------- */

static void test_xed(void **state)
{
    (void)state;
    static const u8 code[] = { 0xf0, 0x48, 0x01, 0x44, 0xcb, 0x10 }; /* lock add [rbx+rcx*8+0x10], rax */
    char text[80];
    xed_state_t mode;
    xed_decoded_inst_t d;
    xed_state_init(&mode, XED_MACHINE_MODE_LONG_64, XED_ADDRESS_WIDTH_64b, XED_ADDRESS_WIDTH_64b);
    xed_decoded_inst_zero_set_mode(&d, &mode);
    assert_int_equal(xed_decode(&d, code, 3), XED_ERROR_BUFFER_TOO_SHORT);
    assert_int_equal(xed_decode(&d, code, sizeof code), XED_ERROR_NONE);
    assert_int_equal(xed_decoded_inst_get_length(&d), sizeof code);
    assert_int_equal(xed_decoded_inst_get_iclass(&d), XED_ICLASS_ADD_LOCK);
    assert_int_equal(xed_decoded_inst_get_base_reg(&d, 0), XED_REG_RBX);
    assert_int_equal(xed_decoded_inst_get_index_reg(&d, 0), XED_REG_RCX);
    assert_int_equal(xed_decoded_inst_get_memory_displacement(&d, 0), 0x10);
    assert_int_equal(xed_decoded_inst_get_memory_displacement_width(&d, 0), 1);
    assert_int_equal(xed_decoded_inst_get_memory_operand_length(&d, 0), 8);
    assert_int_equal(xed_decoded_inst_get_reg(&d, XED_OPERAND_REG0), XED_REG_RAX);
    assert_true(xed_decoded_inst_get_attribute(&d, XED_ATTRIBUTE_LOCKED));
    assert_true(xed_format_context(XED_SYNTAX_INTEL, &d, text, sizeof text, PC, NULL, NULL));
    assert_string_equal(text, "lock add qword ptr [rbx+rcx*8+0x10], rax");
    assert_false(xed_format_context(XED_SYNTAX_INTEL, &d, text, 8, PC, NULL, NULL));
    assert_string_equal(xed_iclass_enum_t2str(XED_ICLASS_CALL_NEAR), "CALL_NEAR");
    assert_int_equal(str2xed_iclass_enum_t("JZ"), XED_ICLASS_JZ);
    assert_int_equal(xed_get_largest_enclosing_register(XED_REG_AH), XED_REG_RAX);
    assert_int_equal(xed_reg_class(XED_REG_EAX), XED_REG_CLASS_GPR);
    assert_int_equal(xed_decoded_inst_get_iclass(INS_XedDec(instruction("7410"))), XED_ICLASS_JZ);
    xed_state_init(&mode, XED_MACHINE_MODE_LEGACY_32, XED_ADDRESS_WIDTH_32b, XED_ADDRESS_WIDTH_32b);
    xed_decoded_inst_zero_set_mode(&d, &mode);
    assert_int_equal(xed_decode(&d, (const u8 *)"\x40", 1), XED_ERROR_NONE);
    assert_int_equal(xed_decoded_inst_get_iclass(&d), XED_ICLASS_INC);
}

static void test_bad(void **state)
{
    (void)state;
    INS ins = instruction("0f04");
    assert_int_equal(INS_Opcode(ins), XED_ICLASS_INVALID);
    assert_int_equal(INS_OperandCount(ins), 0);
    assert_int_equal(INS_Size(ins), 2);
    assert_false(INS_HasFallThrough(ins));
    assert_string_equal(INS_Disassemble(ins), "(bad)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_kinds), cmocka_unit_test(test_control_flow), cmocka_unit_test(test_registers),
        cmocka_unit_test(test_operands), cmocka_unit_test(test_misuse), cmocka_unit_test(test_addresses), cmocka_unit_test(test_reg_table),
        cmocka_unit_test(test_x87_tags), cmocka_unit_test(test_xed), cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
