// SPDX-License-Identifier: Apache-2.0
// Somewhere to make the mistakes of tools/misuses.cpp and tools/misuse_c.c. Nothing of it may be executed behind them.
// counts: no
// modes: plain
	.globl _start
	.type _start, @function
	.text
_start:
	lea stack_top(%rip), %rsp
	vpxor %xmm1, %xmm1, %xmm1
	vpxor %xmm2, %xmm2, %xmm2
at_here:
	mov %rax, %rbx
at_store:
	push %rax
at_lea:	lea 8(%rsp), %rdx
at_gather:
	vpgatherdd %xmm2, (%rsp,%xmm1,4), %xmm3
at_jump:
	jmp 1f
1:	mov $0, %edi
	mov $60, %eax
	syscall
	.size _start, . - _start
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> misuses what=read err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYREAD_EA is not valid for the instruction at at_here: it reads no memory (called at tools/misuses.cpp:33)
//> misuses what=read2_ptr err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYREAD2_PTR is not valid for the instruction at at_store: it has no second memory read (called at tools/misuses.cpp:34)
//> misuses what=read2 err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYREAD2_EA is not valid for the instruction at at_store: it has no second memory read (called at tools/misuses.cpp:35)
//> misuses what=write err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYWRITE_EA is not valid for the instruction at at_lea: it writes no memory (called at tools/misuses.cpp:36)
//> misuses what=write_ptr err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYWRITE_PTR is not valid for the instruction at at_lea: it writes no memory (called at tools/misuses.cpp:37)
//> misuses what=op err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYOP_EA is not valid for the instruction at at_store: it has fewer memory operands (called at tools/misuses.cpp:38)
//> misuses what=op_size err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYOP_SIZE is not valid for the instruction at at_here: it has no memory operand (called at tools/misuses.cpp:39)
//> misuses what=op_after err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYOP_EA is not valid for the instruction at at_store: after it, the registers of the address may have changed (called at tools/misuses.cpp:40)
//> misuses what=ptr_after err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYOP_PTR is not valid for the instruction at at_store: after it, the registers of the address may have changed (called at tools/misuses.cpp:41)
//> misuses what=gather_ea err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYREAD_EA is not valid for the instruction at at_gather: it accesses more than one address; IARG_MULTI_MEMORYACCESS_EA has them all (called at tools/misuses.cpp:42)
//> misuses what=masked err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYOP_MASKED_ON is not valid for the instruction at at_here: it has no memory operand (called at tools/misuses.cpp:43)
//> misuses what=masked_after err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYOP_MASKED_ON is not valid for the instruction at at_gather: only before it is the mask there (called at tools/misuses.cpp:44)
//> misuses what=multi err=yes status=1
//= linchpin: INS_InsertCall: IARG_MULTI_MEMORYACCESS_EA is not valid for the instruction at at_here: it has no memory operand (called at tools/misuses.cpp:45)
//> misuses what=multi_after err=yes status=1
//= linchpin: INS_InsertCall: IARG_MULTI_MEMORYACCESS_EA is not valid for the instruction at at_gather: after it, the registers of the addresses may have changed (called at tools/misuses.cpp:46)
//> misuses what=element err=yes status=1
//= linchpin: INS_InsertCall: IARG_MULTI_ELEMENT_OPERAND is not valid for the instruction at at_here: it has no such register or memory operand (called at tools/misuses.cpp:47)
//> misuses what=element_number err=yes status=1
//= linchpin: ElementAddress: the operand has 4 elements, number 99 was asked for
//> misuses what=explicit err=yes status=1
//= linchpin: INS_InsertCall: IARG_EXPLICIT_MEMORY_EA is not valid for the instruction at at_here: it names no memory (called at tools/misuses.cpp:49)
//> misuses what=explicit_after err=yes status=1
//= linchpin: INS_InsertCall: IARG_EXPLICIT_MEMORY_EA is not valid for the instruction at at_lea: after it, the registers of the address may have changed (called at tools/misuses.cpp:50)
//> misuses what=target err=yes status=1
//= linchpin: INS_InsertCall: IARG_BRANCH_TARGET_ADDR is not valid for the instruction at at_here: it is not a branch, call or return (called at tools/misuses.cpp:51)
//> misuses what=reserved err=yes status=1
//= linchpin: INS_InsertCall: argument type 72 is reserved or not supported (called at tools/misuses.cpp:52)
//> misuses what=memory_value err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORY_VALUE is not valid for the instruction at at_here: it has no memory operand (called at tools/misuses.cpp:53)
//> misuses what=memory_value_gather err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORY_VALUE is not valid for the instruction at at_gather: it accesses more than one address; IARG_MULTI_MEMORYACCESS_EA has them all (called at tools/misuses.cpp:54)
//> misuses what=scattered err=yes status=1
//= linchpin: INS_InsertCall: IARG_REWRITE_SCATTERED_MEMOP is not valid for the instruction at at_gather: INS_RewriteScatteredMemoryOperand has not been called for it (called at tools/misuses.cpp:55)
//> misuses what=scattered_after err=yes status=1
//= linchpin: INS_InsertCall: IARG_REWRITE_SCATTERED_MEMOP is not valid for the instruction at at_gather: only before it (called at tools/misuses.cpp:56)
//> misuses what=scattered_plain err=yes status=1
//= linchpin: INS_RewriteScatteredMemoryOperand: the instruction at at_store (PUSH) is not a gather or scatter
//> misuses what=scattered_none err=yes status=1
//= linchpin: INS_RewriteScatteredMemoryOperand: the instruction at at_here has 0 memory operands, number 0 was asked for
//> misuses what=itanium err=yes status=1
//= linchpin: INS_InsertCall: argument type 71 is reserved or not supported (called at tools/misuses.cpp:59)
//> misuses what=iarg err=yes status=1
//= linchpin: INS_InsertCall: 5000 is not an IARG; is IARG_END missing at the end of the list?
//> misuses what=iarg0 err=yes status=1
//= linchpin: INS_InsertCall: 0 is not an IARG; is IARG_END missing at the end of the list?
//> misuses what=end err=yes status=1
//= linchpin: INS_InsertCall: 74565 is not an IARG; is IARG_END missing at the end of the list?
//> misuses what=many err=yes status=1
//= linchpin: INS_InsertCall: more than 64 arguments, or no IARG_END at the end of the list
//> misuses what=list_null err=yes status=1
//= linchpin: INS_InsertCall: IARG_IARGLIST without a list
//> misuses what=reg_wide err=yes status=1
//= linchpin: INS_InsertCall: Invalid REG for IARG_REG_VALUE: xmm3 (wider than 64 bits; IARG_REG_CONST_REFERENCE can give it) (called at tools/misuses.cpp:65)
//> misuses what=reg_none err=yes status=1
//= linchpin: INS_InsertCall: the register ? is not one that this CPU lets programs use (called at tools/misuses.cpp:66)
//> misuses what=return_wide err=yes status=1
//= linchpin: INS_InsertCall: IARG_RETURN_REGS cannot be ymm1 (called at tools/misuses.cpp:67)
//> misuses what=routine err=yes status=1
//= linchpin: INS_InsertCall: the analysis routine is NULL (called at tools/misuses.cpp:68)
//> misuses what=point err=yes status=1
//= linchpin: INS_InsertCall: 77 is not an IPOINT (called at tools/misuses.cpp:69)
//> misuses what=after err=yes status=1
//= linchpin: INS_InsertCall: Inserting IPOINT_AFTER with invalid instruction: the one at at_jump has no fall-through (called at tools/misuses.cpp:70)
//> misuses what=taken err=yes status=1
//= linchpin: INS_InsertCall: IPOINT_TAKEN_BRANCH at at_here: not a branch, call or return (called at tools/misuses.cpp:71)
//> misuses what=then err=yes status=1
//= linchpin: INS_InsertThenCall: no InsertIfCall at the same place before it (called at tools/misuses.cpp:72)
//> misuses what=handle err=yes status=1
//= linchpin: INS_InsertCall: the instruction handle 0 is not valid here (called at tools/misuses.cpp:73)
//> misuses what=predicated err=yes status=1
//= linchpin: INS_InsertPredicatedCall: the instruction handle 0 is not valid here (called at tools/misuses.cpp:74)
//> misuses what=bbl err=yes status=1
//= linchpin: BBL_NumIns: the basic block handle 0 is not valid here
//> misuses what=bbl_insert err=yes status=1
//= linchpin: BBL_InsertCall: the basic block handle 0 is not valid here (called at tools/misuses.cpp:76)
//> misuses what=fill_block err=yes status=1
//= linchpin: BBL_InsertFillBuffer: the basic block handle 0 is not valid here (called at tools/misuses.cpp:77)
//> misuses what=trace_insert err=yes status=1
//= linchpin: TRACE_InsertCall: the trace handle 0 is not valid here (called at tools/misuses.cpp:78)
//> misuses what=operand err=yes status=1
//= linchpin: INS_OperandReg: the instruction at at_here has 2 operands, number 9 was asked for
//> misuses what=memory_operand err=yes status=1
//= linchpin: INS_MemoryOperandSize: the instruction at at_here has 0 memory operands, number 0 was asked for
//> misuses what=immediate err=yes status=1
//= linchpin: INS_OperandImmediate: operand 0 of the instruction at at_here is not an immediate
//> misuses what=far err=yes status=1
//= linchpin: INS_GetFarPointer: the instruction at at_here has no far pointer
//> misuses what=far err=yes status=1
//= linchpin: INS_GetFarPointer: the instruction at at_here has no far pointer
//> misuses what=invalid err=yes status=1
//= linchpin: INS_Next: the INS is not valid (any more): 0
//> misuses what=jump_point err=yes status=1
//= linchpin: INS_InsertDirectJump: a jump goes to IPOINT_BEFORE or IPOINT_AFTER, not to 4
//> misuses what=jump_twice err=yes status=1
//= linchpin: INS_InsertDirectJump: the instruction at at_here has a jump at this place already
//> misuses what=jump_after err=yes status=1
//= linchpin: INS_InsertDirectJump: IPOINT_AFTER at at_jump: the instruction has no fall-through and is not deleted
//> misuses what=jump_register err=yes status=1
//= linchpin: INS_InsertIndirectJump: eax cannot hold the target: a 64-bit general or tool register is needed
//> misuses what=delete err=yes status=1
//= linchpin: INS_Delete: the INS is not valid (any more): 0
//> misuses what=rewrite_operand err=yes status=1
//= linchpin: INS_RewriteMemoryOperand: the instruction at at_here has 0 memory operands, number 0 was asked for
//> misuses what=rewrite_register err=yes status=1
//= linchpin: INS_RewriteMemoryOperand: xmm0 cannot hold the address: a 64-bit general or tool register is needed
//> misuses what=rewrite_gather err=yes status=1
//= linchpin: INS_RewriteMemoryOperand: memory operand 0 of the instruction at at_gather (VPGATHERDD) has no single address that can be changed
//> misuses what=range err=yes status=1
//= linchpin: PIN_RemoveInstrumentationInRange: the range ends at 0xa, before its start 0x14
//> misuses what=list_free err=yes status=1
//= linchpin: IARGLIST_Free: the list is NULL
//> misuses what=list_add err=yes status=1
//= linchpin: IARGLIST_AddArguments: the list is NULL
//> misuses what=rtn err=yes status=1
//= linchpin: RTN_InsertCall: the routine handle 0 is not valid (called at tools/misuses.cpp:94)
//> misuses what=rtn_point err=yes status=1
//= linchpin: RTN_InsertCall: only IPOINT_BEFORE and IPOINT_AFTER have a meaning for a routine (called at tools/misuses.cpp:95)
//> misuses what=rtn_open err=yes status=1
//= linchpin: RTN_Open: _start cannot be opened: a routine (_start) is open already
//> misuses what=rtn_close err=yes status=1
//= linchpin: RTN_Close: _start is not open
//> misuses what=rtn_walk err=yes status=1
//= linchpin: RTN_InsHead: _start has not been opened by RTN_Open
//> misuses what=rtn_name err=yes status=1
//= linchpin: RTN_Name: the routine is not valid (0)
//> misuses what=img err=yes status=1
//= linchpin: IMG_Name: the image is not valid (0)
//> misuses what=context err=yes status=1
//= linchpin: PIN_GetContextReg: the context is NULL
//> misuses what=late_insert err=yes status=1
//= ~linchpin: INS_InsertCall: the instruction handle \d+ is not valid here .called at tools/misuses.cpp:12.
//> misuses what=late_ask err=yes status=1
//= ~linchpin: INS_Disassemble: the INS is not valid .any more.: \d+
//> misuse_c what=c_read err=yes status=1
//= linchpin: INS_InsertCall: IARG_MEMORYREAD_EA is not valid for the instruction at at_here: it reads no memory (called at tools/misuse_c.c:19)
//> misuse_c what=c_iarg err=yes status=1
//= linchpin: INS_InsertCall: 5000 is not an IARG; is IARG_END missing at the end of the list?
//> misuse_c what=c_handle err=yes status=1
//= linchpin: INS_InsertCall: the instruction handle 0 is not valid here (called at tools/misuse_c.c:23)
//> misuse_c what=c_point err=yes status=1
//= linchpin: INS_InsertCall: 9 is not an IPOINT (called at tools/misuse_c.c:25)
//> misuse_c what=c_operand err=yes status=1
//= linchpin: INS_OperandReg: the instruction at at_here has 2 operands, number 7 was asked for
//> misuse_c what=c_then err=yes status=1
//= linchpin: INS_InsertThenCall: no InsertIfCall at the same place before it (called at tools/misuse_c.c:29)
//> misuse_c what=c_rewrite err=yes status=1
//= linchpin: INS_RewriteMemoryOperand: the instruction at at_here has 0 memory operands, number 0 was asked for
//> misuses what=nothing
//> misuses what=if_anywhere err=yes status=1
//= linchpin: INS_InsertIfCall: Inserting IPOINT_ANYWHERE is not a valid action for INS_InsertIfCall API (called at tools/misuses.cpp:105)
//> misuses what=then_anywhere err=yes status=1
//= linchpin: INS_InsertThenCall: Inserting IPOINT_ANYWHERE is not a valid action for INS_InsertThenCall API (called at tools/misuses.cpp:106)
//> misuses what=then_after err=yes status=1
//= linchpin: INS_InsertThenCall: Inserting IPOINT_AFTER with invalid instruction: no InsertIfCall at the same place before it (called at tools/misuses.cpp:107)
//> misuses what=pc_reference err=yes status=1
//= linchpin: INS_InsertCall: Calling IARG_REG_REFERENCE is not allowed with Instruction Pointer register (called at tools/misuses.cpp:108)
//> misuses what=pc_result err=yes status=1
//= linchpin: INS_InsertCall: Calling IARG_RETURN_REGS is not allowed with Instruction Pointer register (called at tools/misuses.cpp:109)
//> misuses what=set_const err=yes status=1
//= linchpin: PIN_SetContextReg: PIN_SetContextReg is NOT supported for IARG_CONST_CONTEXT
//> misuses what=set_const_state err=yes status=1
//= linchpin: PIN_SetContextFPState: PIN_SetContextFPState is NOT supported for IARG_CONST_CONTEXT
//> misuses what=fill_reference err=yes status=1
//= linchpin: INS_InsertFillBuffer: IARG_REG_REFERENCE cannot be a field of a trace buffer's record (called at <Unknown source location>)
//> misuses what=check_inline engine=-assert_check_inline err=yes status=1
//= linchpin: analysis routine Long is expected to be inlined, but is not inlineable: for it makes system calls
//> misuses what=exit_in_fini err=yes status=1
//= linchpin: PIN_ExitApplication: It is prohibited to call PIN_ExitApplication() from an application-fini function
//> misuses what=exit_in_thread_fini err=yes status=1
//= linchpin: PIN_ExitApplication: It is prohibited to call PIN_ExitApplication() from a thread-fini function
//> misuses what=translated err=yes status=1
//= linchpin: INS_InsertCall: Illegal use of memory address callback and register parameters: the address is translated by the tool, and the routine's result goes into a register (called at tools/misuses.cpp:116)
