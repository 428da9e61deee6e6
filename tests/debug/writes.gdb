break here
continue
break *code
continue
x/3i $pc
stepi
stepi
info registers rax
stepi
info registers rax
continue
continue
x/2i $pc
stepi
set var $eax = 50
stepi
info registers rax
continue
print n
delete
tbreak write_code
continue
print v
finish
x/2i code
tbreak *code+5
continue
info registers rax
set var code[6] = 9
stepi
info registers rax
tbreak 44
continue
tbreak 47
continue
next
next
step
print n
tbreak 52
continue
print sum
watch sum
continue
continue
