/* SPDX-License-Identifier: Apache-2.0
 * A system of ours that QEMU starts by -kernel: a 32-bit multiboot image that does one thing after the other, each between two marks, an exact number of times, and switches itself off.
 * tests/system/run.py knows the numbers: they are the equates here, which it reads. The marks are global labels; what stands between mark_NAME and end_NAME is the part NAME. */
#define MAGIC 0x1badb002
#define STACK 0x4000
#define EXIT_PORT 0xf4      /* isa-debug-exit */
#define entry_of(page) table + 4 * ((page >> 12) & 1023)

        .set LOOPS, 1000        /* turns of a loop of three instructions */
        .set STORES, 500        /* 4-byte stores, at consecutive addresses */
        .set LOADS, 300         /* 1-byte loads, at one address */
        .set UPDATES, 200       /* additions to memory: a load and a store each */
        .set COPIES, 100        /* 4-byte moves of one rep movs */
        .set CALLS, 150         /* calls and returns */
        .set FAULTS, 20         /* page faults at an address that is not there, each followed by one access that goes through */
        .set TRAPS, 30          /* int $0x40 */
        .set ATOMICS, 60        /* lock xadd */
        .set ALIASES, 70        /* loads and stores at addresses that are not the physical ones, by code of which that is true, too: twice, with other pages each time */

        .set USERS, 90          /* turns of a loop of two instructions at level 3 */

        .section .multiboot, "a"
        .align 4
        .long MAGIC, 0, -MAGIC

        .text
        .global _start
        .code32
_start: mov     $stack_top, %esp
        lgdt    gdt_pointer
        ljmp    $8, $1f
1:      mov     $16, %eax
        mov     %eax, %ds
        mov     %eax, %es
        mov     %eax, %ss
        lidt    idt_pointer

        .macro  part name
        .global mark_\name
mark_\name:
        .endm
        .macro  done name
        .global end_\name
end_\name:
        .endm

        part    loops
        mov     $LOOPS, %ecx
1:      add     $3, %eax
        dec     %ecx
        jnz     1b
        done    loops

        part    stores
        mov     $STORES, %ecx
        mov     $area, %edi
1:      mov     %eax, (%edi)
        add     $4, %edi
        dec     %ecx
        jnz     1b
        done    stores

        part    loads
        mov     $LOADS, %ecx
1:      mov     area, %al
        dec     %ecx
        jnz     1b
        done    loads

        part    updates
        mov     $UPDATES, %ecx
1:      addl    $1, area
        dec     %ecx
        jnz     1b
        done    updates

        part    copies
        mov     $COPIES, %ecx
        mov     $area, %esi
        mov     $area + 4096, %edi
        rep movsl
        done    copies

        part    calls
        mov     $CALLS, %ecx
1:      call    leaf
        dec     %ecx
        jnz     1b
        done    calls

        part    atomics
        mov     $ATOMICS, %ecx
1:      lock xaddl %eax, area
        dec     %ecx
        jnz     1b
        done    atomics

        part    traps
        mov     $TRAPS, %ecx
1:      int     $0x40
        dec     %ecx
        jnz     1b
        done    traps

        /* Paging on, everything where it is but one page, which is there only after its fault. */
        call    make_tables
        mov     $directory, %eax
        mov     %eax, %cr3
        mov     %cr0, %eax
        or      $0x80000000, %eax
        mov     %eax, %cr0
        part    faults
        mov     $FAULTS, %ebx
1:      nop                     /* the fault is in the middle of a block */
        mov     %ebx, missing
        nop
        andl    $~1, entry_of(missing_page)
        invlpg  missing
        dec     %ebx
        jnz     1b
        done    faults

        /* Code and data at other addresses than their physical ones; then the pages change places. */
        mov     $alias_code, %esi
        mov     $alias_copy, %edi
        mov     $1024, %ecx
        rep movsl
        movl    $alias_code + 3, entry_of(alias)
        movl    $area + 3, entry_of(alias_read)
        movl    $area + 4096 + 3, entry_of(alias_write)
        call    reload
        mov     $alias, %eax
        call    *%eax
        movl    $alias_copy + 3, entry_of(alias)
        movl    $area + 4096 + 3, entry_of(alias_read)
        movl    $area + 3, entry_of(alias_write)
        call    reload
        mov     $alias, %eax
        call    *%eax

        /* To level 3 and back. */
        movl    $stack_top - 256, tss + 4
        movl    $16, tss + 8
        mov     $tss, %eax
        mov     %ax, tss_entry + 2
        shr     $16, %eax
        mov     %al, tss_entry + 4
        mov     $0x28, %ax
        ltr     %ax
        pushl   $0x23
        pushl   $stack_top
        pushf
        pushl   $0x1b
        pushl   $user
        iret
back:   mov     $16, %eax
        mov     %eax, %ds
        mov     %eax, %es

        mov     $0, %eax
        out     %al, $EXIT_PORT
2:      hlt
        jmp     2b

leaf:   ret

        part    users
user:   mov     $USERS, %ecx
1:      dec     %ecx
        jnz     1b
        int     $0x41
        done    users

reload: mov     %cr3, %eax
        mov     %eax, %cr3
        ret

        .align 4096
alias_code:
        mov     $ALIASES, %ecx
1:      mov     alias_read + 64, %eax
        mov     %eax, alias_write + 128
        dec     %ecx
        jnz     1b
        .set    mark_aliases, alias
        .set    end_aliases, alias + (. - alias_code)
        ret
        .align 4096

make_tables:
        mov     $1024, %ecx
1:      mov     %ecx, %eax
        dec     %eax
        shl     $12, %eax
        or      $7, %eax
        mov     %eax, table - 4(, %ecx, 4)
        loop    1b
        mov     $table + 7, %eax
        mov     %eax, directory
        andl    $~1, entry_of(missing_page)
        ret

        .global trap, fault
from_user:
        jmp     back
trap:   incl    traps_seen
        iret
/* The page of the fault is there when the instruction is tried again. */
fault:  orl     $1, entry_of(missing_page)
        incl    faults_seen
        add     $4, %esp        /* the error code */
        iret

        .data
        .align 8
gdt:    .quad   0, 0x00cf9a000000ffff, 0x00cf92000000ffff
        .quad   0x00cffa000000ffff, 0x00cff2000000ffff
tss_entry: .quad 0x0000890000000067
gdt_pointer:
        .word   47
        .long   gdt
idt_pointer:
        .word   0x42 * 8 - 1
        .long   idt

        .set    missing_page, 0x300000
        .set    missing, missing_page + 64
        .set    alias, 0x380000
        .set    alias_read, 0x381000
        .set    alias_write, 0x382000
        .global mark_aliases, end_aliases, alias_code, alias_copy

        .macro  gate handler, kind=0x8e00 /* _start is at 0x101000 (guest.ld) */
        .word   \handler - _start + 0x1000, 8, \kind, 0x10
        .endm
        .align 8
idt:    .rept   14
        .quad   0
        .endr
        gate    fault
        .rept   0x40 - 15
        .quad   0
        .endr
        gate    trap
        gate    from_user, 0xee00

        .bss
        .align 4096
        .global directory, table, area, traps_seen, faults_seen
directory: .space 4096
table:  .space 4096
area:   .space 8192
alias_copy: .space 4096
tss:    .space 104
traps_seen: .space 4
faults_seen: .space 4
        .space  STACK
stack_top:
