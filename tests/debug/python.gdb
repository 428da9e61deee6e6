set breakpoint pending on
break getpgid
continue
bt 1
print $rdi
finish
continue
print $_siginfo.si_signo
bt 1
tbreak PyLong_FromLong if $rdi == 300
continue
print $rdi
delete
continue
