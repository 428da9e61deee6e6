break begin
continue
catch exec
continue
info breakpoints
continue
print step
bt
finish
continue
continue
print step
print self
delete 2
continue
print step
delete
continue
