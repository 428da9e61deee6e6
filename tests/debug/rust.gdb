break rust::area
continue
print shape.sides
next
print twice
bt 2
finish
delete
break rust::fails
continue
print n
bt 1
break rust_panic
continue
delete
continue
