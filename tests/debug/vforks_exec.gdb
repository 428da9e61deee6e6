set follow-fork-mode child
break in_child
continue
print n
delete
catch exec
continue
bt 1
delete
break add
continue
bt
delete
continue
