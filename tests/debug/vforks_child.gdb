set follow-fork-mode child
break in_child
break in_parent
continue
bt
print seen
set var seen = 50
next
next
next
next
