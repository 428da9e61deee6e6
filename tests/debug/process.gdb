break here
continue
print mine
print row
thread apply 1 -q print mine
set var mine = 78
info auxv
info sharedlibrary
info proc
info proc mappings
info proc cmdline
continue
print mine
continue
