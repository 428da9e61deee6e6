catch throw
continue
bt 3
catch catch
continue
bt 2
info breakpoints
delete
break attempt
continue
print n
delete
break fail if n == 4
continue
bt 3
delete
break 23
continue
print n
finish
break 36
continue
print caught
continue
