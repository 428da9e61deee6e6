// SPDX-License-Identifier: Apache-2.0
// For the controller: 48 instructions; 3 rounds of 7 (call, call, inc, ret, ret, dec, jnz) from number 2 on, an SSC mark (23, 24), magic (25), cpuid (27), rdtsc (28, 30), rep stosb (35 to 44), exit.
	.globl _start
	.type work, @function
	.type leaf, @function
	.text
_start:
	lea stack_top(%rip), %rsp
	mov $3, %r12d
loop:	call work
	dec %r12d
	jnz loop
	mov $0x77, %ebx
at_mark: .byte 0x64, 0x67, 0x90
at_magic: xchg %bx, %bx
	mov $0x4711, %eax
at_cpuid: cpuid
	rdtsc
	mov %eax, stamps(%rip)
	rdtsc
	mov %eax, stamps+4(%rip)
	lea buffer(%rip), %rdi
	xor %eax, %eax
	mov $10, %ecx
at_rep:	rep stosb
	mov $60, %eax
	xor %edi, %edi
	syscall
work:	call leaf
	ret
leaf:	inc %r14
at_leaf_end: ret
	.globl stamps
	.bss
	.balign 8
at_stamps:
stamps:	.skip 8
buffer:	.skip 64
stack:	.skip 4096
stack_top: .skip 8
//> controller -control=start:icount:5,stop:icount:6
//= 0 start at_leaf_end 5
//= 0 stop leaf 11
//= executed 48
//> controller -control=start:symbol:leaf:count2,stop:exit_func:leaf,repeat
//= 0 start leaf 11
//= 0 stop at_leaf_end 12
//= executed 48
//> controller -control=start:magic,stop:cpuid:4711 -control=mine:cpuid:1 -control=stats-emit:ssc:77
//= 0 stats-emit at_mark 24
//= 0 start at_magic 25
//= 0 stop at_cpuid 27
//= executed 48
//> controller -control=precond:ssc:77,start:icount:12,stop:icount:4
//= 0 start at_rep 36
//= 0 stop at_rep 40
//= executed 48
//> controller -control=precond:ssc:77,start:icount:12,stop:icount:4 -controller-nonstop-on-rep=1
//= 0 start at_rep+2 45
//= executed 48
//> controller -control=start:icount:25 exclude=yes
//= 0 start at_cpuid 27
//= executed 48
//> controller -control=uniform:2:10:3:tid0
//= 0 start _start 0
//= 0 stop loop 2
//= 0 start work 10
//= 0 stop at_leaf_end 12
//= 0 start work+5 20
//= 0 stop loop+8 22
//= uniform of thread 0, done
//= executed 48
//> controller -control=start:icount:3:tid6,stop:icount:2:tid6 translate=yes
//= 0 start work 3
//= 0 stop at_leaf_end 5
//= executed 48
//> controller regions=yes -regions:warmup=2 -regions:prolog=3 -regions:epilog=1
//= 0 warmup-start at_leaf_end 5 of region 7 (first, 10 to 14, 0.25000)
//= 0 warmup-stop loop+5 7 of region 7 (first, 10 to 14, 0.25000)
//= 0 prolog-start loop+5 7 of region 7 (first, 10 to 14, 0.25000)
//= 0 prolog-stop work 10 of region 7 (first, 10 to 14, 0.25000)
//= 0 start work 10 of region 7 (first, 10 to 14, 0.25000)
//= 0 stop loop+5 14 of region 7 (first, 10 to 14, 0.25000)
//= 0 epilog-start loop+5 14 of region 7 (first, 10 to 14, 0.25000)
//= 0 epilog-stop loop+8 15 of region 7 (first, 10 to 14, 0.25000)
//= 0 warmup-start at_magic 25 of region 9 (third, 30 to 35, 0.12345)
//= 0 warmup-stop at_cpuid 27 of region 9 (third, 30 to 35, 0.12345)
//= 0 prolog-start at_cpuid 27 of region 9 (third, 30 to 35, 0.12345)
//= 0 prolog-stop at_cpuid+10 30 of region 9 (third, 30 to 35, 0.12345)
//= 0 start at_cpuid+10 30 of region 9 (third, 30 to 35, 0.12345)
//= 0 stop at_rep 35 of region 9 (third, 30 to 35, 0.12345)
//= 0 epilog-start at_rep 35 of region 9 (third, 30 to 35, 0.12345)
//= 0 epilog-stop at_rep 36 of region 9 (third, 30 to 35, 0.12345)
//= left out: second,0,8,13,20,0.5,more
//= executed 48
//> controller regions=yes -regions:overlap-ok=1
//= 0 start work 10 of region 7 (first, 10 to 14, 0.25000)
//= 0 start work+5 13 of region 8 (second, 13 to 20, 0.50000)
//= 0 stop loop+5 14 of region 7 (first, 10 to 14, 0.25000)
//= 0 stop work+5 20 of region 8 (second, 13 to 20, 0.50000)
//= 0 start at_cpuid+10 30 of region 9 (third, 30 to 35, 0.12345)
//= 0 stop at_rep 35 of region 9 (third, 30 to 35, 0.12345)
//= executed 48
//> controller external=yes
//= start of a?
//= 0 start work 3
//= stop of a?
//= 0 stop at_leaf_end 5
//= start of b?
//= 0 start work 10
//= stop of b?
//= executed 48
//> controller fire=yes
//= 0 start _start 0 bcast context
//= 0 late start _start 1 bcast context
//= 0 mine at_magic 26 context
//= 0 late mine at_magic 26 bcast context
//= executed 48
//> controller check=yes -control=start:symbol:leaf -control=stop:icount:40
//= check: right
//= 0 start _start 0 bcast
//= 0 start leaf 4
//= 0 stop at_rep 40
//= executed 48
//> controller listen=yes
//= 0 start _start 0 bcast
//= listener: right
//= executed 48
//> warp
//= instructions 48, without repetitions 39, int3 executed
//= warp: right
//> warp -rdtsc_warp=1
//= stamps 1 101
//= instructions 48, without repetitions 39, int3 executed
//= warp: right
//> shell err=yes
//= before work: break if icount 10
//= before at_magic: break if jump to at_magic
//= after at_cpuid+12: break if store to stamps+5
//= after at_rep: break if store 0 to buffer+2
//= thread 0 at at_leaf_end: r12 = 0x3
//= thread 0 at at_leaf_end: r12 = 0x2
//= thread 0 at at_leaf_end: r12 = 0x1
//= thread 0 at at_magic: rbx = 0x77
//= shell: right
