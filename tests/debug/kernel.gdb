break main
continue
watch buffer.text[0]
continue
continue
continue
info watchpoints
continue
watch handled
delete 2
continue
delete
watch buffer.text[0]
continue
delete
continue
