catch fork
continue
info breakpoints
continue
frame function main
print i
print seen
delete
break in_child
break in_parent
continue
print n
print status
delete
tbreak 22 if n == 4
continue
next
print pid > 0
print/x $eax == pid
bt
finish
continue
