// SPDX-License-Identifier: Apache-2.0
// Somewhere to make mistakes.
	.globl _start
	.text
_start:
	nop
at_here:
	mov %rax, %rbx
at_store:
	push %rax
at_jump:
	jmp 1f
1:	mov $0, %edi
	mov $60, %eax
	syscall
	.bss
end_of_it: .skip 8
//> misuse what=handle err=yes status=1
//= linchpin: INS_InsertCall: the instruction handle 0 is not valid here (called at tools/misuse.cpp:14)
//> misuse what=read err=yes status=1
//= linchpin: INS_InsertCall: a memory operand argument is not valid for the instruction at at_here (called at tools/misuse.cpp:16)
//> misuse what=op err=yes status=1
//= linchpin: INS_InsertCall: a memory operand argument is not valid for the instruction at at_here (called at tools/misuse.cpp:18)
//> misuse what=taken err=yes status=1
//= linchpin: INS_InsertCall: IPOINT_TAKEN_BRANCH at at_here: not a branch, call or return (called at tools/misuse.cpp:22)
//> misuse what=after err=yes status=1
//= linchpin: INS_InsertCall: IPOINT_AFTER at at_jump: the instruction has no fall-through (called at tools/misuse.cpp:52)
//> misuse what=target err=yes status=1
//= linchpin: INS_InsertCall: IARG_BRANCH_TARGET_ADDR is not valid for the instruction at at_here (called at tools/misuse.cpp:24)
//> misuse what=then err=yes status=1
//= linchpin: INS_InsertThenCall: no InsertIfCall at the same place before it (called at tools/misuse.cpp:26)
//> misuse what=point err=yes status=1
//= linchpin: INS_InsertCall: 77 is not an IPOINT (called at tools/misuse.cpp:28)
//> misuse what=iarg err=yes status=1
//= linchpin: INS_InsertCall: 5000 is not an IARG; is IARG_END missing at the end of the list?
//> misuse what=operand err=yes status=1
//= linchpin: INS_OperandReg: the instruction at at_here has 2 operands, number 9 was asked for
//> misuse what=invalid err=yes status=1
//= linchpin: INS_Size: the INS is not valid (any more): 0
//> misuse what=context err=yes status=1
//= linchpin: PIN_GetContextReg: the context is NULL
//> misuse what=bbl err=yes status=1
//= linchpin: BBL_NumIns: the basic block handle 0 is not valid here
//> misuse what=rtn err=yes status=1
//= linchpin: RTN_InsertCall: the routine handle 0 is not valid (called at tools/misuse.cpp:61)
//> misuse what=end err=yes status=1
//= linchpin: INS_InsertCall: 74565 is not an IARG; is IARG_END missing at the end of the list?
//> misuse what=many err=yes status=1
//= linchpin: INS_InsertCall: more than 64 arguments, or no IARG_END at the end of the list
//> misuse what=after_ea err=yes status=1
//= linchpin: INS_InsertCall: the address of a memory operand after the instruction is not valid for the instruction at at_store (called at tools/misuse.cpp:20)
//> misuse what=far err=yes status=1
//= linchpin: INS_GetFarPointer: the instruction at at_here has no far pointer
//> misuse what=nothing
