break main
continue
info breakpoints
break basic.c:58 if i == 7
continue
print i
print total
print add
print p[2]
print $rip == &*$pc
step
bt
info frame
finish
next
tbreak twice
continue
up
info locals
print twice(21)
print factorial(6)
set var total = 1000
delete
break jump
continue
break basic.c:63
continue
print way
next
delete
break written
continue
next
next
next
next
stepi
x/i $pc
nexti
info registers rax rip
print/x *at@6
print sum
next
next
finish
break factorial if n == 1
continue
bt
finish
delete
tbreak exit
continue
continue
