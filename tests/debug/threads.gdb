break together
continue
bt
delete
break meet if n == 2
continue
bt 2
print n
print count[2]
set scheduler-locking on
finish
next
next
stepi
set scheduler-locking off
delete
break meet if n == 3 && count[3] == 99
continue
print count[3]
delete
continue
