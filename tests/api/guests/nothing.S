// SPDX-License-Identifier: Apache-2.0
// For tools that check by themselves and do not care for the program.
	.globl _start
	.text
_start:
	mov $60, %eax
	xor %edi, %edi
	syscall
at_end:
	ud2
//> registers
//= registers: right
//> xed
//= xed: right
//> later
//= later: right
//> later register=yes
//= later: right
//> later call=PIN_SetReplayMode err=yes status=1
//= linchpin: PIN_SetReplayMode: replay is not there yet
//> later call=PIN_ReplayImageLoad err=yes status=1
//= linchpin: PIN_ReplayImageLoad: replay is not there yet
//> later call=PIN_ReplayImageUnload err=yes status=1
//= linchpin: PIN_ReplayImageUnload: replay is not there yet
//> later call=IMG_CreateAt err=yes status=1
//= linchpin: IMG_CreateAt: replay is not there yet
//> later call=IMG_ReplayImageLoad err=yes status=1
//= linchpin: IMG_ReplayImageLoad: replay is not there yet
//> later call=IMG_ReplayImageUnload err=yes status=1
//= linchpin: IMG_ReplayImageUnload: replay is not there yet
//> later call=IMG_SetLoaderInfo err=yes status=1
//= linchpin: IMG_SetLoaderInfo: replay is not there yet
//> later call=PIN_ApplicationBreakpoint err=yes status=1
//= linchpin: PIN_ApplicationBreakpoint: it cannot be called from a callback, nor while the thread holds the client lock
//> info
//= fini 0
//= info: right
//> info end=thread err=yes status=1
//= linchpin: PIN_ExitThread: instrumentation functions may not call it
//> info end=application status=7
//= fini 7
//= info: right
//> info end=process status=8
//> info end=fatal status=1 err=yes
//= linchpin: cannot go on
//> info end=error err=yes
//= linchpin: said once
//> inline err=yes
//= C: to stderr
//= bare
//= W: warning
//= E: not fatal
//= M: of mine
//= M: let through
//= inline: right
//> inline end=error err=yes status=1
//= E: an error
//> inline end=fatal err=yes status=1
//= E: an error
//> inline end=critical err=yes status=1
//= E: an error
//> inline end=memory err=yes status=1
//= E: an error
//> inline end=assert err=yes status=1
//= A: tools/inline.cpp: End: 306: sums are wrong
//> inline end=assertx err=yes status=1
//= A: tools/inline.cpp: End: 308: assertion failed: how.empty()
//> inline end=assertq err=yes status=1
//= A: tools/inline.cpp: End: 310: never
//> inline end=nyi err=yes status=1
//= A: tools/inline.cpp: End: 312: not implemented
//> inline end=print err=yes status=1
//= P: printed
//> inline end=hooks err=yes status=1
//= A: tools/inline.cpp: End: 318: assertion failed: how.empty()
//= panic 1
//= terminated
//> initials engine=-pin_memory_size engine=12M
//= lock 0, owner 0
//= mutex 1, taken 1, again 0
//= after its end 1
//= rwmutex 1, taken 1, again 0
//= after its end 1
//= semaphore 1, set 0, then 1, after its end 0
//=     42|0x1234
//= set 2 1 0, then 0 0
//= given back
//> xedmore
//= xedmore: right
