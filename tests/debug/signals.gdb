handle SIGUSR2 nostop noprint pass
continue
print $_siginfo.si_signo
break handler
continue
bt 2
finish
delete
continue
print $_siginfo.si_signo
print $_siginfo._sifields._sigfault.si_addr
bt 1
stepi
bt 1
print seen[12]
continue
continue
info program
