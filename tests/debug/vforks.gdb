catch vfork
continue
info breakpoints
bt -1
continue
bt -1
print seen
delete
break in_child
break in_parent
continue
print n
print status
print seen
tbreak vforks.c:31
continue
print n
next
print seen
continue
