// SPDX-License-Identifier: Apache-2.0
// Somewhere to make mistakes with contexts and routines.
	.globl _start
	.text
_start:
	call at_here
	mov $0, %edi
	mov $60, %eax
	syscall
	.type at_here, @function
at_here:
	mov %rax, %rbx
	ret
	.size at_here, . - at_here
	.bss
end_of_it: .skip 8
//> wrong what=empty err=yes status=1
//= linchpin: PIN_GetContextReg: the context has nothing in it (PIN_SaveContext fills one)
//> wrong what=save err=yes status=1
//= linchpin: PIN_SaveContext: there is nothing in the context to be saved
//> wrong what=execute err=yes status=1
//= linchpin: PIN_ExecuteAt: the context is not one of the application's
//> wrong what=funcptr err=yes status=1
//= ~ linchpin: INS_InsertCall: .*\(called at tools/wrong.cpp:19\)
//> wrong what=wide err=yes status=1
//= linchpin: INS_InsertCall: Invalid REG for IARG_REG_VALUE: xmm0 (wider than 64 bits; IARG_REG_CONST_REFERENCE can give it) (called at tools/wrong.cpp:21)
//> wrong what=result err=yes status=1
//= linchpin: INS_InsertCall: IARG_RETURN_REGS cannot be ymm0 (called at tools/wrong.cpp:23)
//> wrong what=vector err=yes status=1
//= linchpin: PIN_GetContextReg: ymm3 is NOT supported for PIN_GetContextReg/PIN_SetContextReg: it is wider than 64 bits; use PIN_GetContextRegval
//> wrong what=private err=yes status=1
//= linchpin: PIN_GetContextReg: pin_rax is not in a context
//> wrong what=selector err=yes status=1
//= linchpin: PIN_SetContextReg: cs cannot be set to this value
//> wrong what=call err=yes status=1
//= linchpin: PIN_CallApplicationFunction: the context is not one of the application's
//> wrong what=parg err=yes status=1
//= linchpin: PIN_CallApplicationFunction: argument type 16 of 0 bytes is not one; is PIN_PARG_END() missing?
//> wrong what=locked err=yes status=1
//= linchpin: PIN_ExecuteAt: PIN_ExecuteAt() cannot be called from a callback. Nor while the thread holds the Pin Client Lock
//> wrong what=prototype err=yes status=1
//= linchpin: RTN_ReplaceSignature: IARG_PROTOTYPE is missing (called at tools/wrong.cpp:67)
//> wrong what=argument err=yes status=1
//= linchpin: RTN_ReplaceSignature: argument 1 is asked for, and the prototype has 1 (called at tools/wrong.cpp:69)
//> wrong what=memory err=yes status=1
//= ~ linchpin: RTN_ReplaceSignature: .*\(called at tools/wrong.cpp:71\)
//> wrong what=null err=yes status=1
//= linchpin: RTN_Replace: the replacement is NULL
//> wrong what=routine err=yes status=1
//= linchpin: RTN_Replace: the routine handle 0 is not valid
//> wrong what=original err=yes status=1
//= linchpin: the original of a replaced routine: only replacement routines may call it by its pointer; others use PIN_CallApplicationFunction
//> wrong what=nothing
//> wrong what=again err=yes status=1
//= linchpin: PIN_GetContextReg: the context has nothing in it (PIN_SaveContext fills one)
