break calloc if $rdi == 4
continue
info registers rdi rsi
finish
x/i $pc
stepi
info symbol $pc
break printf
continue
bt 1
x/s $rdi
print (int)getppid() > 0
watch *(int *)$rsp
delete
tbreak _exit
continue
info registers rdi
continue
