break step
continue
rwatch table[17]
continue
print from[2]
delete 2
continue
watch to[10]
continue
continue
delete 3
watch copy[20]
rwatch text[20]
continue
print copy[20]
continue
print copy[20]
continue
delete
continue
