// SPDX-License-Identifier: Apache-2.0
// bt and its kin with the number of a bit in a register: the address is that of the word that has the bit, for all
// sizes and signs. An immediate is one in the word that is named.
	.globl _start, at_first, at_last
	.text
_start:
	mov $data + 64, %edi
	mov $70, %esi
	mov $-70, %rdx
	mov $0x10000 - 70, %ecx /* -70 in 16 bits */
	mov $8, %r11d
at_first:
	bt %si, (%rdi)
	bt %esi, (%rdi)
	bt %rsi, (%rdi)
	bts %dx, (%rdi)
	bts %edx, 8(%rdi,%r11)
	bts %rdx, data + 64
	btr %cx, (%rdi)
	btc %ecx, (%rdi)
	bt %edi, -64(%rdi)
	lock bts %esi, (%rdi)
	btl $70, (%rdi)
	bt %esi, %edx
at_last:
	xor %edi, %edi
	xor %eax, %eax
	cmpq $0, data + 48 /* its bit 58 is -70 from the word at data + 64: set, set again, cleared */
	setne %dil
	cmpl $1 << 26, data + 68 /* bit -70 from the word at data + 80 */
	setne %al
	lea (%rdi,%rax,2), %edi
	mov $231, %eax
	syscall
	.bss
	.balign 64
data:	.skip 0x20000000
//> mem
//= BT: op 0 R data+72 2
//=   read data+72 2
//= BT: op 0 R data+72 4
//=   read data+72 4
//= BT: op 0 R data+72 8
//=   read data+72 8
//= BTS: op 0 RW data+54 2
//=   read data+54 2
//=   write data+54 2
//= BTS: op 0 RW data+68 4
//=   read data+68 4
//=   write data+68 4
//= BTS: op 0 RW data+48 8
//=   read data+48 8
//=   write data+48 8
//= BTR: op 0 RW data+54 2
//=   read data+54 2
//=   write data+54 2
//= BTC: op 0 RW data+8244 4
//=   read data+8244 4
//=   write data+8244 4
//= BT: op 0 R data+525320 4
//=   read data+525320 4
//= BTS_LOCK: op 0 RW data+72 4
//=   read data+72 4
//=   write data+72 4
//= BT: op 0 R data+64 4
//=   read data+64 4
//> mem leaf=1
//= at_first: data+72
//= at_first+4: data+72
//= at_first+7: data+72
//= at_first+11: data+54
//= at_first+15: data+68
//= at_first+21: data+48
//= at_first+30: data+54
//= at_first+34: data+8244
//= at_first+37: data+525320
//= at_first+41: data+72
//= at_first+45: data+64
