break main
continue
watch counter
continue
continue
bt
next
delete
break fill
continue
watch it[1].key
watch it[1].name[5]
rwatch counter
continue
continue
continue
info watchpoints
delete
break on_stack
continue
next
watch local
continue
continue
delete
awatch seen
continue
continue
delete
continue
