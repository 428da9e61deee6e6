// SPDX-License-Identifier: Apache-2.0
// Instructions to look at, of every kind; none of `shown` is executed.
	.globl _start
	.text
_start:
	mov $60, %eax
	xor %edi, %edi
	syscall

	.type shown, @function
shown:
	mov %rax, %rbx
	mov %ecx, 8(%rsp)
	mov 0x10(%rdi,%rcx,4), %dx
	mov %rbp, %rbp
	movl $-2, shown(%rip)
	mov %fs:0x28, %rax
	mov %ds, %eax
	lea -5(%rax,%rbx,8), %ecx
	add $1, %al
	sub $16, %rsp
	cmp %ah, %dl
	lock addl $7, (%rsi)
	lock sub %ecx, (%rax)
	xchg %rax, (%rbx)
	xchg %rcx, %rdx
	lock cmpxchg %ecx, (%rdx)
	push %rax
	pushw (%rbx)
	pop %r12
	call shown
	call .+5
	call *%rax
	call *8(%rbp)
	ret
	ret $8
	jmp shown
	jmp *(%rax,%rbx)
	je shown
	.byte 0x3e; jne .+2+0x10
	jrcxz .+2+0x10
	loop .+2+0x10
	ljmp *(%rax)
	lcall *(%rax)
	lretl
	iretq
	syscall
	sysenter
	sysretq
	int3
	int $0x80
	hlt
	ud2
	rep movsb
	repne scasb
	cmpsl
	rep stosl %eax, %es:(%edi)
	repz ret
	cmovge (%rax), %ecx
	sete %al
	nop
	nopw 0(%rax,%rax,1)
	pause
	endbr64
	prefetcht0 (%rax)
	prefetchw 64(%rax)
	clflush (%rax)
	rdtsc
	rdtscp
	cpuid
	movaps %xmm1, (%rax)
	addps 16(%rax), %xmm3
	cvtsi2sd %rax, %xmm0
	vaddpd (%rax), %ymm2, %ymm3
	vgatherdps %xmm2, (%rax,%xmm1,4), %xmm0
	vpgatherqq 8(%rdi,%zmm1,8), %zmm3{%k2}
	vscatterdpd %ymm3, (%rax,%xmm2,2){%k1}
	vmovdqu32 (%rax), %zmm1{%k3}{z}
	vmaskmovps (%rax), %xmm1, %xmm2
	maskmovdqu %xmm1, %xmm2
	fld1
	fldt (%rax)
	fstpl 8(%rax)
	fxsave (%rax)
	xsave (%rax)
	xbegin .+6
	xend
	xlatb
	enter $16, $0
	leave
	bt %rax, (%rcx)
	mul %rcx
	idivl (%rcx)
	movdir64b (%rax), %rcx
	cqto
	addr32 mov (%eax,%ebx,2), %ecx
	in %dx, %al
	.size shown, . - shown
	nop

//> inspect mode=kinds
//= mov rbx, rax: IsMov
//= mov dword ptr [rsp+0x8], ecx: IsMov
//= mov dx, word ptr [rdi+rcx*4+0x10]: OperandSizePrefix IsMov
//= mov rbp, rbp: IsMov IsMovFullRegRegSame
//= mov dword ptr [rip-0x19], 0xfffffffe: IsMov
//= mov rax, qword ptr fs:[0x28]: SegmentPrefix SegPrefixIsMemoryRead IsMov prefix fs
//= mov eax, ds: IsMov
//= lea ecx, ptr [rax+rbx*8-0x5]: IsLea
//= add al, 0x1:
//= sub rsp, 0x10: IsSub
//= cmp dl, ah:
//= lock add dword ptr [rsi], 0x7: LockPrefix IsAtomicUpdate
//= lock sub dword ptr [rax], ecx: LockPrefix IsAtomicUpdate IsSub
//= xchg qword ptr [rbx], rax: IsAtomicUpdate IsXchg
//= xchg rdx, rcx: IsXchg
//= lock cmpxchg dword ptr [rdx], ecx: LockPrefix IsAtomicUpdate
//= push rax:
//= push word ptr [rbx]: OperandSizePrefix
//= pop r12:
//= call shown: IsCall IsControlFlow IsBranchOrCall IsDirectControlFlow IsDirectBranchOrCall IsDirectCall IsProcedureCall IsValidForIpointTakenBranch no-fall-through no-ipoint-after to -71
//= call shown+81: IsCall IsControlFlow IsBranchOrCall IsDirectControlFlow IsDirectBranchOrCall IsDirectCall IsPcMaterialization IsValidForIpointTakenBranch no-fall-through no-ipoint-after to +5
//= call rax: IsCall IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsProcedureCall IsValidForIpointTakenBranch no-fall-through no-ipoint-after
//= call qword ptr [rbp+0x8]: IsCall IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsProcedureCall IsValidForIpointTakenBranch no-fall-through no-ipoint-after
//= ret: IsRet IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsValidForIpointTakenBranch no-fall-through no-ipoint-after
//= ret 0x8: IsRet IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsValidForIpointTakenBranch no-fall-through no-ipoint-after
//= jmp shown: IsBranch IsControlFlow IsBranchOrCall IsDirectControlFlow IsDirectBranchOrCall IsDirectBranch IsValidForIpointTakenBranch no-fall-through no-ipoint-after to -90
//= jmp qword ptr [rax+rbx*1]: IsBranch IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsValidForIpointTakenBranch no-fall-through no-ipoint-after
//= jz shown: IsBranch IsControlFlow IsBranchOrCall IsDirectControlFlow IsDirectBranchOrCall IsDirectBranch IsValidForIpointTakenBranch to -95
//= hint-taken jnz shown+116: IsBranch IsControlFlow IsBranchOrCall IsDirectControlFlow IsDirectBranchOrCall IsDirectBranch IsValidForIpointTakenBranch BranchTakenPrefix to +19
//= jrcxz shown+118: IsBranch IsControlFlow IsBranchOrCall IsDirectControlFlow IsDirectBranchOrCall IsDirectBranch IsValidForIpointTakenBranch to +18
//= loop shown+120: IsBranch IsControlFlow IsBranchOrCall IsDirectControlFlow IsDirectBranchOrCall IsDirectBranch IsValidForIpointTakenBranch to +18
//= jmp far ptr [rax]: IsBranch IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsFarJump IsValidForIpointTakenBranch no-fall-through no-ipoint-after
//= call far ptr [rax]: IsCall IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsFarCall IsProcedureCall IsValidForIpointTakenBranch no-fall-through no-ipoint-after
//= ret far: IsRet IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsFarRet IsValidForIpointTakenBranch no-fall-through no-ipoint-after
//= iretq: IsRet IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsIRet IsValidForIpointTakenBranch no-fall-through no-ipoint-after
//= syscall: no-ipoint-after IsSyscall syscall 2
//= sysenter: no-ipoint-after IsSyscall IsSysenter syscall 1
//= sysret: no-fall-through no-ipoint-after IsSysret
//= int3: IsInterrupt
//= int 0x80: no-ipoint-after IsSyscall IsInterrupt syscall 1
//= hlt: IsHalt
//= ud2: no-fall-through no-ipoint-after
//= rep movsb byte ptr [rdi], byte ptr [rsi]: RepPrefix HasRealRep Stutters IsPredicated IsStringop count rcx predicate 20
//= repne scasb byte ptr [rdi]: RepnePrefix HasRealRep Stutters IsPredicated IsStringop count rcx predicate 20
//= cmpsd dword ptr [rsi], dword ptr [rdi]: IsStringop
//= rep stosd dword ptr [edi]: RepPrefix AddressSizePrefix HasRealRep Stutters IsPredicated IsStringop count ecx predicate 19
//= ret: IsRet IsControlFlow IsBranchOrCall IsIndirectControlFlow IsIndirectBranchOrCall IsValidForIpointTakenBranch no-fall-through no-ipoint-after RepPrefix
//= cmovnl ecx, dword ptr [rax]: IsPredicated predicate 8
//= setz al:
//= nop: IsNop
//= nop word ptr [rax+rax*1]: OperandSizePrefix IsNop
//= pause: RepPrefix
//= endbr64: RepPrefix
//= prefetcht0 ptr [rax]: IsPrefetch
//= prefetchw ptr [rax+0x40]: IsPrefetch
//= clflush ptr [rax]: IsCacheLineFlush
//= rdtsc: IsRDTSC
//= rdtscp: IsRDTSC
//= cpuid:
//= movaps xmmword ptr [rax], xmm1:
//= addps xmm3, xmmword ptr [rax+0x10]:
//= cvtsi2sd xmm0, rax: RepnePrefix
//= vaddpd ymm3, ymm2, ymmword ptr [rax]:
//= vgatherdps xmm0, dword ptr [rax+xmm1*4], xmm2: IsVgather
//= vpgatherqq zmm3{k2}, qword ptr [rdi+zmm1*8+0x8]: IsVgather
//= vscatterdpd qword ptr [rax+xmm2*2]{k1}, ymm3: IsVscatter
//= vmovdqu32 zmm1{k3}{z}, zmmword ptr [rax]:
//= vmaskmovps xmm2, xmm1, xmmword ptr [rax]:
//= maskmovdqu xmm2, xmm1: OperandSizePrefix IsMaskMov
//= fld1:
//= fld st, ptr [rax]:
//= fstp qword ptr [rax+0x8], st:
//= fxsave ptr [rax]:
//= xsave ptr [rax]:
//= xbegin shown+240: IsXbegin
//= xend: IsXend
//= xlat:
//= enter 0x10, 0x0:
//= leave:
//= bt qword ptr [rcx], rax:
//= mul rcx:
//= idiv dword ptr [rcx]:
//= movdir64b rcx, zmmword ptr [rax]: OperandSizePrefix IsMovdir64b
//= cqo:
//= mov ecx, dword ptr [eax+ebx*2]: AddressSizePrefix IsMov
//= in al, dx:
//= 86 instructions
//> inspect mode=operands
//= mov rbx, rax: {rbx w 64} {rax r 64}
//= mov dword ptr [rsp+0x8], ecx: {[-:rsp+-*1+8] w 32} {ecx r 32}
//= mov dx, word ptr [rdi+rcx*4+0x10]: {dx w 16} {[-:rdi+rcx*4+16] r 16}
//= mov rbp, rbp: {rbp w 64} {rbp r 64}
//= mov dword ptr [rip-0x19], 0xfffffffe: {[-:rip+-*1-25] w 32} {0xfffffffffffffffe r 32}
//= mov rax, qword ptr fs:[0x28]: {rax w 64} {[fs:-+-*1+40] r 64}
//= mov eax, ds: {eax w 32} {ds segment r 16}
//= lea ecx, ptr [rax+rbx*8-0x5]: {ecx w 32} {address [-:rax+rbx*8-5] r 64}
//= add al, 0x1: {al rw 8 implicit} {0x1 r 8} {rflags w 64 implicit}
//= sub rsp, 0x10: {rsp rw 64} {0x10 r 8} {rflags w 64 implicit}
//= cmp dl, ah: {dl r 8} {ah r 8} {rflags w 64 implicit}
//= lock add dword ptr [rsi], 0x7: {[-:rsi+-*1+0] rw 32} {0x7 r 8} {rflags w 64 implicit}
//= lock sub dword ptr [rax], ecx: {[-:rax+-*1+0] rw 32} {ecx r 32} {rflags w 64 implicit}
//= xchg qword ptr [rbx], rax: {[-:rbx+-*1+0] rw 64} {rax rw 64}
//= xchg rdx, rcx: {rdx rw 64} {rcx rw 64}
//= lock cmpxchg dword ptr [rdx], ecx: {[-:rdx+-*1+0] rw 32} {ecx r 32} {eax rw 32 implicit} {rflags w 64 implicit}
//= push rax: {rax r 64} {[-:rsp+-*1+0] fixed w 64 implicit} {? rw 64 implicit}
//= push word ptr [rbx]: {[-:rbx+-*1+0] r 16} {[-:rsp+-*1+0] fixed w 16 implicit} {? rw 64 implicit}
//= pop r12: {r12 w 64} {[-:rsp+-*1+0] fixed r 64 implicit} {? rw 64 implicit}
//= call shown: {branch -76 r 32} {rip rw 64 implicit} {[-:rsp+-*1+0] fixed w 64 implicit} {? rw 64 implicit}
//= call shown+81: {branch +0 r 32} {rip rw 64 implicit} {[-:rsp+-*1+0] fixed w 64 implicit} {? rw 64 implicit}
//= call rax: {rax r 64} {rip rw 64 implicit} {[-:rsp+-*1+0] fixed w 64 implicit} {? rw 64 implicit}
//= call qword ptr [rbp+0x8]: {[-:rbp+-*1+8] r 64} {rip rw 64 implicit} {[-:rsp+-*1+0] fixed w 64 implicit} {? rw 64 implicit}
//= ret: {rip w 64 implicit} {[-:rsp+-*1+0] fixed r 64 implicit} {? rw 64 implicit}
//= ret 0x8: {0x8 r 16} {rip w 64 implicit} {[-:rsp+-*1+0] fixed r 64 implicit} {? rw 64 implicit}
//= jmp shown: {branch -92 r 8} {rip rw 64 implicit}
//= jmp qword ptr [rax+rbx*1]: {[-:rax+rbx*1+0] r 64} {rip w 64 implicit}
//= jz shown: {branch -97 r 8} {rip rw 64 implicit} {rflags r 64 implicit}
//= hint-taken jnz shown+116: {branch +16 r 8} {rip rw 64 implicit} {rflags r 64 implicit}
//= jrcxz shown+118: {branch +16 r 8} {rcx r 64 implicit} {rip rw 64 implicit}
//= loop shown+120: {branch +16 r 8} {rcx rw 64 implicit} {rip rw 64 implicit}
//= jmp far ptr [rax]: {[-:rax+-*1+0] r 48} {rip w 64 implicit}
//= call far ptr [rax]: {[-:rax+-*1+0] r 48} {rip w 64 implicit} {[-:rsp+-*1+0] fixed w 64 implicit} {? rw 64 implicit}
//= ret far: {rip w 64 implicit} {[-:rsp+-*1+0] fixed r 64 implicit} {? rw 64 implicit}
//= iretq: {rip w 64 implicit} {[-:rsp+-*1+0] fixed r 320 implicit} {? rw 64 implicit} {rflags rw 64 implicit}
//= syscall: {rip w 64 implicit} {rcx w 64 implicit} {r11 w 64 implicit} {rflags w 64 implicit}
//= sysenter: {rip w 64 implicit} {rsp w 64 implicit} {rflags w 64 implicit}
//= sysret: {rip w 64 implicit} {rcx r 64 implicit} {r11 r 64 implicit} {cs segment w 16 implicit} {ss segment w 16 implicit} {rflags w 64 implicit}
//= int3: {rip w 64 implicit} {rflags rw 64 implicit}
//= int 0x80: {0x80 r 8} {rip w 64 implicit} {rflags rw 64 implicit}
//= hlt:
//= ud2:
//= rep movsb byte ptr [rdi], byte ptr [rsi]: {[-:rdi+-*1+0] fixed w 8 implicit} {? rw 64 implicit} {[-:rsi+-*1+0] fixed r 8 implicit} {? rw 64 implicit} {rcx rw 64 implicit} {rflags r 64 implicit}
//= repne scasb byte ptr [rdi]: {al r 8 implicit} {[-:rdi+-*1+0] fixed r 8 implicit} {? rw 64 implicit} {rcx rw 64 implicit} {rflags rw 64 implicit}
//= cmpsd dword ptr [rsi], dword ptr [rdi]: {[-:rsi+-*1+0] fixed r 32 implicit} {? rw 64 implicit} {[-:rdi+-*1+0] fixed r 32 implicit} {? rw 64 implicit} {rflags rw 64 implicit}
//= rep stosd dword ptr [edi]: {[-:edi+-*1+0] fixed w 32 implicit} {? rw 32 implicit} {eax r 32 implicit} {ecx rw 32 implicit} {rflags r 64 implicit}
//= ret: {rip w 64 implicit} {[-:rsp+-*1+0] fixed r 64 implicit} {? rw 64 implicit}
//= cmovnl ecx, dword ptr [rax]: {ecx w 32} {[-:rax+-*1+0] r 32} {rflags r 64 implicit}
//= setz al: {al w 8} {rflags r 64 implicit}
//= nop:
//= nop word ptr [rax+rax*1]: {address [-:rax+rax*1+0] r 16}
//= pause:
//= endbr64:
//= prefetcht0 ptr [rax]: {[-:rax+-*1+0] r 512}
//= prefetchw ptr [rax+0x40]: {[-:rax+-*1+64] r 512}
//= clflush ptr [rax]: {[-:rax+-*1+0] r 512 8x8}
//= rdtsc: {eax w 32 implicit} {edx w 32 implicit}
//= rdtscp: {eax w 32 implicit} {edx w 32 implicit} {ecx w 32 implicit}
//= cpuid: {eax rw 32 implicit} {ebx w 32 implicit} {ecx rw 32 implicit} {edx w 32 implicit}
//= movaps xmmword ptr [rax], xmm1: {[-:rax+-*1+0] w 128 4x4} {xmm1 r 128 4x4}
//= addps xmm3, xmmword ptr [rax+0x10]: {xmm3 rw 128 4x4} {[-:rax+-*1+16] r 128 4x4}
//= cvtsi2sd xmm0, rax: {xmm0 rw 64} {rax r 64}
//= vaddpd ymm3, ymm2, ymmword ptr [rax]: {ymm3 w 256 4x8} {ymm2 r 256 4x8} {[-:rax+-*1+0] r 256 4x8}
//= vgatherdps xmm0, dword ptr [rax+xmm1*4], xmm2: {xmm0 rw 128 4x4} {[-:rax+xmm1*4+0] r 32 4x4} {xmm2 rw 128 4x4}
//= vpgatherqq zmm3{k2}, qword ptr [rdi+zmm1*8+0x8]: {zmm3 rw 512 8x8} {k2 rw 64} {[-:rdi+zmm1*8+8] r 64 8x8} mask k2
//= vscatterdpd qword ptr [rax+xmm2*2]{k1}, ymm3: {[-:rax+xmm2*2+0] w 64 4x8} {k1 rw 64} {ymm3 r 256 4x8} mask k1
//= vmovdqu32 zmm1{k3}{z}, zmmword ptr [rax]: {zmm1 w 512 16x4} {k3 r 64} {[-:rax+-*1+0] r 512 16x4} mask k3
//= vmaskmovps xmm2, xmm1, xmmword ptr [rax]: {xmm2 w 128 4x4} {xmm1 r 128 4x4} {[-:rax+-*1+0] r 128 4x4}
//= maskmovdqu xmm2, xmm1: {xmm2 r 128 4x4} {xmm1 r 128 4x4} {[-:rdi+-*1+0] fixed w 128 4x4 implicit} {? r 64 implicit}
//= fld1: {st0 w 80 implicit} {fpsw w 16 implicit}
//= fld st, ptr [rax]: {st0 w 80 implicit} {[-:rax+-*1+0] r 80} {fpsw w 16 implicit}
//= fstp qword ptr [rax+0x8], st: {[-:rax+-*1+8] w 64} {st0 r 80 implicit} {fpsw w 16 implicit}
//= fxsave ptr [rax]: {[-:rax+-*1+0] w 4096}
//= xsave ptr [rax]: {[-:rax+-*1+0] rw 4608} {edx r 32 implicit} {eax r 32 implicit} {xcr0 r 64 implicit}
//= xbegin shown+240: {branch +0 r 32} {rip rw 64 implicit} {eax w 32 implicit}
//= xend:
//= xlat: {[-:rbx+al*1+0] fixed r 8 implicit} {? r 64 implicit} {al w 8 implicit}
//= enter 0x10, 0x0: {0x10 r 16} {0 r 8} {rbp rw 64 implicit} {[-:rsp+-*1+0] fixed w 64 implicit} {? rw 64 implicit}
//= leave: {[-:rbp+-*1+0] fixed r 64 implicit} {? r 64 implicit} {rbp rw 64 implicit} {rsp rw 64 implicit}
//= bt qword ptr [rcx], rax: {[-:rcx+-*1+0] r 64} {rax r 64} {rflags w 64 implicit}
//= mul rcx: {rcx r 64} {rax rw 64 implicit} {rdx w 64 implicit} {rflags w 64 implicit}
//= idiv dword ptr [rcx]: {[-:rcx+-*1+0] r 32} {eax rw 32 implicit} {edx rw 32 implicit} {rflags w 64 implicit}
//= movdir64b rcx, zmmword ptr [rax]: {rcx r 64} {[-:rax+-*1+0] r 512 16x4} {[-:rcx+-*1+0] fixed w 512 16x4 implicit} {? r 64 implicit}
//= cqo: {rdx w 64 implicit} {rax r 64 implicit}
//= mov ecx, dword ptr [eax+ebx*2]: {ecx w 32} {[-:eax+ebx*2+0] r 32}
//= in al, dx: {al w 8 implicit} {dx r 16 implicit} {rflags r 64 implicit}
//= 86 instructions
//> inspect mode=memory
//= mov rbx, rax: IsStandardMemop
//= mov dword ptr [rsp+0x8], ecx: {operand 0 w 4} writes 4 IsStackWrite IsStandardMemop explicit rsp+-*1+8 write-ea
//= mov dx, word ptr [rdi+rcx*4+0x10]: {operand 1 r 2} reads 2 IsStandardMemop explicit rdi+rcx*4+16 read-ea
//= mov rbp, rbp: IsStandardMemop
//= mov dword ptr [rip-0x19], 0xfffffffe: {operand 0 w 4} writes 4 IsIpRelWrite IsStandardMemop explicit rip+-*1-25 write-ea
//= mov rax, qword ptr fs:[0x28]: {operand 1 r 8} reads 8 IsStandardMemop explicit -+-*1+40 read-ea
//= mov eax, ds: IsStandardMemop
//= lea ecx, ptr [rax+rbx*8-0x5]: IsStandardMemop explicit rax+rbx*8-5
//= add al, 0x1: IsStandardMemop
//= sub rsp, 0x10: IsStandardMemop
//= cmp dl, ah: IsStandardMemop
//= lock add dword ptr [rsi], 0x7: {operand 0 rw 4} reads 4 writes 4 IsStandardMemop explicit rsi+-*1+0 read-ea write-ea
//= lock sub dword ptr [rax], ecx: {operand 0 rw 4} reads 4 writes 4 IsStandardMemop explicit rax+-*1+0 read-ea write-ea
//= xchg qword ptr [rbx], rax: {operand 0 rw 8} reads 8 writes 8 IsStandardMemop explicit rbx+-*1+0 read-ea write-ea
//= xchg rdx, rcx: IsStandardMemop
//= lock cmpxchg dword ptr [rdx], ecx: {operand 0 rw 4} reads 4 writes 4 IsStandardMemop explicit rdx+-*1+0 read-ea write-ea
//= push rax: {operand 1 w 8} writes 8 IsStackWrite IsStandardMemop write-ea
//= push word ptr [rbx]: {operand 0 r 2} {operand 1 w 2} reads 2 writes 2 IsStackWrite IsStandardMemop explicit rbx+-*1+0 read-ea write-ea
//= pop r12: {operand 1 r 8} reads 8 IsStackRead IsStandardMemop read-ea
//= call shown: {operand 2 w 8} writes 8 IsStackWrite IsStandardMemop write-ea taken
//= call shown+81: {operand 2 w 8} writes 8 IsStackWrite IsStandardMemop write-ea taken
//= call rax: {operand 2 w 8} writes 8 IsStackWrite IsStandardMemop write-ea taken
//= call qword ptr [rbp+0x8]: {operand 0 r 8} {operand 2 w 8} reads 8 writes 8 IsStackRead IsStackWrite IsStandardMemop explicit rbp+-*1+8 read-ea write-ea taken
//= ret: {operand 1 r 8} reads 8 IsStackRead IsStandardMemop read-ea taken
//= ret 0x8: {operand 2 r 8} reads 8 IsStackRead IsStandardMemop read-ea taken
//= jmp shown: IsStandardMemop taken
//= jmp qword ptr [rax+rbx*1]: {operand 0 r 8} reads 8 IsStandardMemop explicit rax+rbx*1+0 read-ea taken
//= jz shown: IsStandardMemop taken
//= hint-taken jnz shown+116: IsStandardMemop taken
//= jrcxz shown+118: IsStandardMemop taken
//= loop shown+120: IsStandardMemop taken
//= jmp far ptr [rax]: {operand 0 r 6} reads 6 IsStandardMemop explicit rax+-*1+0 read-ea taken
//= call far ptr [rax]: {operand 0 r 6} {operand 2 w 8} reads 6 writes 8 IsStackWrite IsStandardMemop explicit rax+-*1+0 read-ea write-ea taken
//= ret far: {operand 1 r 8} reads 8 IsStackRead IsStandardMemop read-ea taken
//= iretq: {operand 1 r 40} reads 40 IsStackRead IsStandardMemop read-ea taken
//= syscall: IsStandardMemop taken syscall-number
//= sysenter: IsStandardMemop taken syscall-number
//= sysret: IsStandardMemop
//= int3: IsStandardMemop
//= int 0x80: IsStandardMemop taken syscall-number
//= hlt: IsStandardMemop
//= ud2: IsStandardMemop
//= rep movsb byte ptr [rdi], byte ptr [rsi]: {operand 0 w 1} {operand 2 r 1} reads 1 writes 1 IsStandardMemop read-ea write-ea first-rep
//= repne scasb byte ptr [rdi]: {operand 1 r 1} reads 1 IsStandardMemop read-ea first-rep
//= cmpsd dword ptr [rsi], dword ptr [rdi]: {operand 0 r 4} {operand 2 r 4} reads 4 HasMemoryRead2 IsStandardMemop read-ea read2-ea
//= rep stosd dword ptr [edi]: {operand 0 w 4} writes 4 IsStandardMemop width 32 write-ea first-rep
//= ret: {operand 1 r 8} reads 8 IsStackRead IsStandardMemop read-ea taken
//= cmovnl ecx, dword ptr [rax]: {operand 1 r 4} reads 4 IsStandardMemop explicit rax+-*1+0 read-ea
//= setz al: IsStandardMemop
//= nop: IsStandardMemop
//= nop word ptr [rax+rax*1]: IsStandardMemop explicit rax+rax*1+0
//= pause: IsStandardMemop
//= endbr64: IsStandardMemop
//= prefetcht0 ptr [rax]: {operand 0 r 64} reads 64 IsStandardMemop explicit rax+-*1+0 read-ea
//= prefetchw ptr [rax+0x40]: {operand 0 r 64} reads 64 IsStandardMemop explicit rax+-*1+64 read-ea
//= clflush ptr [rax]: {operand 0 r 64 8x8} reads 64 IsStandardMemop explicit rax+-*1+0 read-ea
//= rdtsc: IsStandardMemop
//= rdtscp: IsStandardMemop
//= cpuid: IsStandardMemop
//= movaps xmmword ptr [rax], xmm1: {operand 0 w 16 4x4} writes 16 IsStandardMemop explicit rax+-*1+0 write-ea
//= addps xmm3, xmmword ptr [rax+0x10]: {operand 1 r 16 4x4} reads 16 IsStandardMemop explicit rax+-*1+16 read-ea
//= cvtsi2sd xmm0, rax: IsStandardMemop
//= vaddpd ymm3, ymm2, ymmword ptr [rax]: {operand 2 r 32 4x8} reads 32 IsStandardMemop explicit rax+-*1+0 read-ea
//= vgatherdps xmm0, dword ptr [rax+xmm1*4], xmm2: {operand 1 r 4 4x4} reads 4 HasMemoryVector HasScatteredMemoryAccess explicit rax+xmm1*4+0 read-ea
//= vpgatherqq zmm3{k2}, qword ptr [rdi+zmm1*8+0x8]: {operand 2 r 8 8x8} reads 8 HasMemoryVector HasScatteredMemoryAccess explicit rdi+zmm1*8+8 read-ea
//= vscatterdpd qword ptr [rax+xmm2*2]{k1}, ymm3: {operand 0 w 8 4x8} writes 8 HasMemoryVector HasScatteredMemoryAccess explicit rax+xmm2*2+0 write-ea
//= vmovdqu32 zmm1{k3}{z}, zmmword ptr [rax]: {operand 2 r 64 16x4} reads 64 IsStandardMemop explicit rax+-*1+0 read-ea
//= vmaskmovps xmm2, xmm1, xmmword ptr [rax]: {operand 2 r 16 4x4} reads 16 IsStandardMemop explicit rax+-*1+0 read-ea
//= maskmovdqu xmm2, xmm1: {operand 2 w 16 4x4} writes 16 IsStandardMemop write-ea
//= fld1: IsStandardMemop
//= fld st, ptr [rax]: {operand 1 r 10} reads 10 IsStandardMemop explicit rax+-*1+0 read-ea
//= fstp qword ptr [rax+0x8], st: {operand 0 w 8} writes 8 IsStandardMemop explicit rax+-*1+8 write-ea
//= fxsave ptr [rax]: {operand 0 w 512} writes 512 IsStandardMemop explicit rax+-*1+0 write-ea
//= xsave ptr [rax]: {operand 0 rw 576} reads 576 writes 576 explicit rax+-*1+0 read-ea write-ea
//= xbegin shown+240: IsStandardMemop
//= xend: IsStandardMemop
//= xlat: {operand 0 r 1} reads 1 IsStandardMemop read-ea
//= enter 0x10, 0x0: {operand 3 w 8} writes 8 IsStackWrite IsStandardMemop write-ea
//= leave: {operand 0 r 8} reads 8 IsStackRead IsStandardMemop read-ea
//= bt qword ptr [rcx], rax: {operand 0 r 8} reads 8 IsStandardMemop explicit rcx+-*1+0 read-ea
//= mul rcx: IsStandardMemop
//= idiv dword ptr [rcx]: {operand 0 r 4} reads 4 IsStandardMemop explicit rcx+-*1+0 read-ea
//= movdir64b rcx, zmmword ptr [rax]: {operand 1 r 64 16x4} {operand 2 w 64 16x4} reads 64 writes 64 IsStandardMemop explicit rax+-*1+0 read-ea write-ea
//= cqo: IsStandardMemop
//= mov ecx, dword ptr [eax+ebx*2]: {operand 1 r 4} reads 4 IsStandardMemop explicit eax+ebx*2+0 width 32 read-ea
//= in al, dx: IsStandardMemop
//= 86 instructions
//> inspect mode=registers
//= mov rbx, rax: reads rax, writes rbx
//= mov dword ptr [rsp+0x8], ecx: reads rsp ecx, writes
//= mov dx, word ptr [rdi+rcx*4+0x10]: reads rdi rcx, writes dx
//= mov rbp, rbp: reads rbp, writes rbp
//= mov dword ptr [rip-0x19], 0xfffffffe: reads rip, writes
//= mov rax, qword ptr fs:[0x28]: reads fs, writes rax
//= mov eax, ds: reads ds, writes eax
//= lea ecx, ptr [rax+rbx*8-0x5]: reads rax rbx, writes ecx
//= add al, 0x1: reads al (implicit), writes al rflags
//= sub rsp, 0x10: reads rsp, writes rsp rflags
//= cmp dl, ah: reads dl ah, writes rflags
//= lock add dword ptr [rsi], 0x7: reads rsi, writes rflags
//= lock sub dword ptr [rax], ecx: reads rax ecx, writes rflags
//= xchg qword ptr [rbx], rax: reads rbx rax, writes rax
//= xchg rdx, rcx: reads rdx rcx, writes rdx rcx
//= lock cmpxchg dword ptr [rdx], ecx: reads rdx ecx eax (implicit), writes eax rflags
//= push rax: reads rax rsp (implicit), writes rsp
//= push word ptr [rbx]: reads rbx rsp (implicit), writes rsp
//= pop r12: reads rsp (implicit), writes r12 rsp
//= call shown: reads rip (implicit) rsp (implicit), writes rip rsp
//= call shown+81: reads rip (implicit) rsp (implicit), writes rip rsp
//= call rax: reads rax rip (implicit) rsp (implicit), writes rip rsp
//= call qword ptr [rbp+0x8]: reads rbp rip (implicit) rsp (implicit), writes rip rsp
//= ret: reads rsp (implicit), writes rip rsp
//= ret 0x8: reads rsp (implicit), writes rip rsp
//= jmp shown: reads rip (implicit), writes rip
//= jmp qword ptr [rax+rbx*1]: reads rax rbx, writes rip
//= jz shown: reads rip (implicit) rflags (implicit), writes rip
//= hint-taken jnz shown+116: reads rip (implicit) rflags (implicit), writes rip
//= jrcxz shown+118: reads rcx (implicit) rip (implicit), writes rip
//= loop shown+120: reads rcx (implicit) rip (implicit), writes rcx rip
//= jmp far ptr [rax]: reads rax, writes rip
//= call far ptr [rax]: reads rax rsp (implicit), writes rip rsp
//= ret far: reads rsp (implicit), writes rip rsp
//= iretq: reads rsp (implicit) rflags (implicit), writes rip rsp rflags
//= syscall: reads, writes rip rcx r11 rflags
//= sysenter: reads, writes rip rsp rflags
//= sysret: reads rcx (implicit) r11 (implicit), writes rip cs ss rflags
//= int3: reads rflags (implicit), writes rip rflags
//= int 0x80: reads rflags (implicit), writes rip rflags
//= hlt: reads, writes
//= ud2: reads, writes
//= rep movsb byte ptr [rdi], byte ptr [rsi]: reads rdi (implicit) rsi (implicit) rcx (implicit) rflags (implicit), writes rdi rsi rcx
//= repne scasb byte ptr [rdi]: reads al (implicit) rdi (implicit) rcx (implicit) rflags (implicit), writes rdi rcx rflags
//= cmpsd dword ptr [rsi], dword ptr [rdi]: reads rsi (implicit) rdi (implicit) rflags (implicit), writes rsi rdi rflags
//= rep stosd dword ptr [edi]: reads edi (implicit) eax (implicit) ecx (implicit) rflags (implicit), writes edi ecx
//= ret: reads rsp (implicit), writes rip rsp
//= cmovnl ecx, dword ptr [rax]: reads rax rflags (implicit), writes ecx
//= setz al: reads rflags (implicit), writes al
//= nop: reads, writes
//= nop word ptr [rax+rax*1]: reads rax, writes
//= pause: reads, writes
//= endbr64: reads, writes
//= prefetcht0 ptr [rax]: reads rax, writes
//= prefetchw ptr [rax+0x40]: reads rax, writes
//= clflush ptr [rax]: reads rax, writes
//= rdtsc: reads, writes eax edx
//= rdtscp: reads, writes eax edx ecx
//= cpuid: reads eax (implicit) ecx (implicit), writes eax ebx ecx edx
//= movaps xmmword ptr [rax], xmm1: reads rax xmm1, writes
//= addps xmm3, xmmword ptr [rax+0x10]: reads xmm3 rax, writes xmm3
//= cvtsi2sd xmm0, rax: reads xmm0 rax, writes xmm0
//= vaddpd ymm3, ymm2, ymmword ptr [rax]: reads ymm2 rax, writes ymm3
//= vgatherdps xmm0, dword ptr [rax+xmm1*4], xmm2: reads xmm0 rax xmm1 xmm2, writes xmm0 xmm2
//= vpgatherqq zmm3{k2}, qword ptr [rdi+zmm1*8+0x8]: reads zmm3 k2 rdi zmm1, writes zmm3 k2
//= vscatterdpd qword ptr [rax+xmm2*2]{k1}, ymm3: reads rax xmm2 k1 ymm3, writes k1
//= vmovdqu32 zmm1{k3}{z}, zmmword ptr [rax]: reads k3 rax, writes zmm1
//= vmaskmovps xmm2, xmm1, xmmword ptr [rax]: reads xmm1 rax, writes xmm2
//= maskmovdqu xmm2, xmm1: reads xmm2 xmm1 rdi (implicit), writes
//= fld1: reads, writes st0 fpsw
//= fld st, ptr [rax]: reads rax, writes st0 fpsw
//= fstp qword ptr [rax+0x8], st: reads rax st0 (implicit), writes fpsw
//= fxsave ptr [rax]: reads rax, writes
//= xsave ptr [rax]: reads rax edx (implicit) eax (implicit) xcr0 (implicit), writes
//= xbegin shown+240: reads rip (implicit), writes rip eax
//= xend: reads, writes
//= xlat: reads rbx (implicit) al (implicit), writes al
//= enter 0x10, 0x0: reads rbp (implicit) rsp (implicit), writes rbp rsp
//= leave: reads rbp (implicit) rsp (implicit), writes rbp rsp
//= bt qword ptr [rcx], rax: reads rcx rax, writes rflags
//= mul rcx: reads rcx rax (implicit), writes rax rdx rflags
//= idiv dword ptr [rcx]: reads rcx eax (implicit) edx (implicit), writes eax edx rflags
//= movdir64b rcx, zmmword ptr [rax]: reads rcx rax, writes
//= cqo: reads rax (implicit), writes rdx
//= mov ecx, dword ptr [eax+ebx*2]: reads eax ebx, writes ecx
//= in al, dx: reads dx (implicit) rflags (implicit), writes al
//= 86 instructions
//> inspect mode=texts
//= mov rbx, rax: MOV MOV DATAXFER BASE | mov %rax, %rbx
//= mov dword ptr [rsp+0x8], ecx: MOV MOV DATAXFER BASE | mov %ecx, 0x08(%rsp)
//= mov dx, word ptr [rdi+rcx*4+0x10]: MOV MOV DATAXFER BASE | mov 0x10(%rdi,%rcx,4), %dx
//= mov rbp, rbp: MOV MOV DATAXFER BASE | mov %rbp, %rbp
//= mov dword ptr [rip-0x19], 0xfffffffe: MOV MOV DATAXFER BASE | movl $-0x02, shown
//= mov rax, qword ptr fs:[0x28]: MOV MOV DATAXFER BASE | mov %fs:0x0000000000000028, %rax
//= mov eax, ds: MOV MOV DATAXFER BASE | mov %ds, %eax
//= lea ecx, ptr [rax+rbx*8-0x5]: LEA LEA MISC BASE | lea -0x05(%rax,%rbx,8), %ecx
//= add al, 0x1: ADD ADD BINARY BASE
//= sub rsp, 0x10: SUB SUB BINARY BASE
//= cmp dl, ah: CMP CMP BINARY BASE
//= lock add dword ptr [rsi], 0x7: ADD_LOCK ADD_LOCK BINARY BASE
//= lock sub dword ptr [rax], ecx: SUB_LOCK SUB_LOCK BINARY BASE
//= xchg qword ptr [rbx], rax: XCHG XCHG DATAXFER BASE
//= xchg rdx, rcx: XCHG XCHG DATAXFER BASE
//= lock cmpxchg dword ptr [rdx], ecx: CMPXCHG_LOCK CMPXCHG_LOCK SEMAPHORE BASE
//= push rax: PUSH PUSH PUSH BASE
//= push word ptr [rbx]: PUSH PUSH PUSH BASE
//= pop r12: POP POP POP BASE
//= call shown: CALL_NEAR CALL_NEAR CALL BASE | callq
//= call shown+81: CALL_NEAR CALL_NEAR CALL BASE | callq
//= call rax: CALL_NEAR CALL_NEAR CALL BASE | callq
//= call qword ptr [rbp+0x8]: CALL_NEAR CALL_NEAR CALL BASE | callq
//= ret: RET_NEAR RET_NEAR RET BASE | retq
//= ret 0x8: RET_NEAR RET_NEAR RET BASE | retq
//= jmp shown: JMP JMP UNCOND_BR BASE
//= jmp qword ptr [rax+rbx*1]: JMP JMP UNCOND_BR BASE
//= jz shown: JZ JZ COND_BR BASE
//= hint-taken jnz shown+116: JNZ JNZ COND_BR BASE
//= jrcxz shown+118: JRCXZ JRCXZ COND_BR BASE
//= loop shown+120: LOOP LOOP COND_BR BASE
//= jmp far ptr [rax]: JMP_FAR JMP_FAR UNCOND_BR BASE
//= call far ptr [rax]: CALL_FAR CALL_FAR CALL BASE | lcall
//= ret far: RET_FAR RET_FAR RET BASE | lret
//= iretq: IRETQ IRETQ RET LONGMODE | iretq
//= syscall: SYSCALL SYSCALL SYSCALL LONGMODE
//= sysenter: SYSENTER SYSENTER SYSCALL BASE
//= sysret: SYSRET64 SYSRET64 SYSRET LONGMODE
//= int3: INT3 INT3 INTERRUPT BASE
//= int 0x80: INT INT INTERRUPT BASE
//= hlt: HLT HLT SYSTEM BASE
//= ud2: UD2 UD2 MISC BASE
//= rep movsb byte ptr [rdi], byte ptr [rsi]: REP_MOVSB MOVSB STRINGOP BASE
//= repne scasb byte ptr [rdi]: REPNE_SCASB SCASB STRINGOP BASE
//= cmpsd dword ptr [rsi], dword ptr [rdi]: CMPSD CMPSD STRINGOP BASE
//= rep stosd dword ptr [edi]: REP_STOSD STOSD STRINGOP BASE
//= ret: RET_NEAR RET_NEAR RET BASE | retq
//= cmovnl ecx, dword ptr [rax]: CMOVNL CMOVNL CMOV BASE
//= setz al: SETZ SETZ SETCC BASE
//= nop: NOP NOP NOP BASE
//= nop word ptr [rax+rax*1]: NOP NOP WIDENOP BASE
//= pause: PAUSE PAUSE MISC PAUSE
//= endbr64: ENDBR64 ENDBR64 CET CET
//= prefetcht0 ptr [rax]: PREFETCHT0 PREFETCHT0 PREFETCH SSE
//= prefetchw ptr [rax+0x40]: PREFETCHW PREFETCHW PREFETCH 3DNOW_PREFETCH
//= clflush ptr [rax]: CLFLUSH CLFLUSH MISC CLFSH
//= rdtsc: RDTSC RDTSC SYSTEM BASE
//= rdtscp: RDTSCP RDTSCP SYSTEM RDTSCP
//= cpuid: CPUID CPUID MISC BASE
//= movaps xmmword ptr [rax], xmm1: MOVAPS MOVAPS DATAXFER SSE
//= addps xmm3, xmmword ptr [rax+0x10]: ADDPS ADDPS SSE SSE
//= cvtsi2sd xmm0, rax: CVTSI2SD CVTSI2SD CONVERT SSE2
//= vaddpd ymm3, ymm2, ymmword ptr [rax]: VADDPD VADDPD AVX AVX
//= vgatherdps xmm0, dword ptr [rax+xmm1*4], xmm2: VGATHERDPS VGATHERDPS AVX2GATHER AVX2GATHER
//= vpgatherqq zmm3{k2}, qword ptr [rdi+zmm1*8+0x8]: VPGATHERQQ VPGATHERQQ GATHER AVX512EVEX
//= vscatterdpd qword ptr [rax+xmm2*2]{k1}, ymm3: VSCATTERDPD VSCATTERDPD SCATTER AVX512EVEX
//= vmovdqu32 zmm1{k3}{z}, zmmword ptr [rax]: VMOVDQU32 VMOVDQU32 DATAXFER AVX512EVEX
//= vmaskmovps xmm2, xmm1, xmmword ptr [rax]: VMASKMOVPS VMASKMOVPS AVX AVX
//= maskmovdqu xmm2, xmm1: MASKMOVDQU MASKMOVDQU DATAXFER SSE2
//= fld1: FLD1 FLD1 X87_ALU X87
//= fld st, ptr [rax]: FLD FLD X87_ALU X87
//= fstp qword ptr [rax+0x8], st: FSTP FSTP X87_ALU X87
//= fxsave ptr [rax]: FXSAVE FXSAVE SSE SSE
//= xsave ptr [rax]: XSAVE XSAVE XSAVE XSAVE
//= xbegin shown+240: XBEGIN XBEGIN COND_BR RTM
//= xend: XEND XEND COND_BR RTM
//= xlat: XLAT XLAT MISC BASE
//= enter 0x10, 0x0: ENTER ENTER MISC BASE
//= leave: LEAVE LEAVE MISC BASE
//= bt qword ptr [rcx], rax: BT BT BITBYTE BASE
//= mul rcx: MUL MUL BINARY BASE
//= idiv dword ptr [rcx]: IDIV IDIV BINARY BASE
//= movdir64b rcx, zmmword ptr [rax]: MOVDIR64B MOVDIR64B MOVDIR MOVDIR
//= cqo: CQO CQO CONVERT LONGMODE
//= mov ecx, dword ptr [eax+ebx*2]: MOV MOV DATAXFER BASE | mov (%eax,%ebx,2), %ecx
//= in al, dx: IN IN IO BASE
//= 86 instructions
