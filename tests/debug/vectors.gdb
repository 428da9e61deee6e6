break here
continue
print $st0
print $st1
print $st2
print/x $ftag
print/x $fctrl
print/x $fstat
print $xmm3
print $xmm15.v2_int64
print/x $r12
print $r13
print $eflags
print $mxcsr
print $cs
print $ymm3.v8_int32
stepi
break there
continue
set var $xmm3.v2_double[0] = 7.5
continue
