/* SPDX-License-Identifier: Apache-2.0
 * Plans: system calls with fixed addresses, then memory writes. Builds them (also for a whole ELF image) and carries
 * them out in this process; remote.c does so in a traced one. Decides no address. */
#include "launch/elfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void plan_init(struct plan *p, u64 at)
{
    p->at = at ? at : (u64)&p->page;
    p->ops = p->mems = p->text = 0;
}

u32 plan_call(struct plan *p, const char *what, u64 nr, const u64 arg[6])
{
    ASSERT(p->ops < PLAN_OPS);
    struct plan_op *op = &p->page.op[p->ops];
    *op = (struct plan_op){.nr = nr, .result = (u64)-1};
    memcpy(op->arg, arg, sizeof op->arg);
    p->what[p->ops] = what;
    return p->ops++;
}

void plan_mmap(struct plan *p, const char *what, u64 addr, u64 bytes, int prot, int flags)
{
    u64 arg[6] = {addr, bytes, (u64)prot, (u64)(flags | MAP_PRIVATE | MAP_ANONYMOUS), (u64)-1, 0};
    plan_call(p, what, SYS_mmap, arg);
}

void plan_write(struct plan *p, u64 dst, const void *src, u64 bytes)
{
    ASSERT(p->mems < PLAN_MEMS);
    p->mem[p->mems++] = (struct plan_mem){dst, src, bytes};
}

/* Argument `arg` of call `op` is the result of call `from`. */
static void use_result(struct plan *p, u32 op, int arg, u32 from)
{
    u64 ops = p->at + offsetof(struct plan_page, op);
    p->page.op[op].from = ops + from * sizeof(struct plan_op) + offsetof(struct plan_op, result);
    p->page.op[op].into = ops + op * sizeof(struct plan_op) + offsetof(struct plan_op, arg) + (u64)arg * sizeof(u64);
}

void plan_room(struct plan *p, const char *what, u64 bytes)
{
    u64 arg[6] = {0, bytes};
    plan_mmap(p, what, 0, bytes, PROT_READ | PROT_WRITE, 0);
    u32 op = plan_call(p, what, SYS_munmap, arg);
    use_result(p, op, 0, op - 1);
}

static u64 add_text(struct plan *p, const char *s)
{
    u32 bytes = (u32)strlen(s) + 1;
    ASSERT(p->text + bytes <= PLAN_TEXT);
    memcpy(p->page.text + p->text, s, bytes);
    u64 at = p->at + offsetof(struct plan_page, text) + p->text;
    p->text += bytes;
    return at;
}

static void plan_segment(struct plan *p, const struct elf_image *im, const Elf64_Phdr *ph, u64 bias, u32 fd_op, int how)
{
    int prot = (ph->p_flags & PF_R ? PROT_READ : 0) | (ph->p_flags & PF_W ? PROT_WRITE : 0) |
               (ph->p_flags & PF_X ? PROT_EXEC : 0);
    u64 start = PAGE_DOWN(ph->p_vaddr), file_end = ph->p_vaddr + ph->p_filesz, end = PAGE_UP(ph->p_vaddr + ph->p_memsz);
    u64 bss = start;
    if (ph->p_filesz) {
        u64 arg[6] = {start + bias, file_end - start, (u64)prot, (u64)(MAP_PRIVATE | how), 0, PAGE_DOWN(ph->p_offset)};
        u32 op = plan_call(p, im->path, SYS_mmap, arg);
        use_result(p, op, 4, fd_op);
        bss = PAGE_UP(file_end);
        if (ph->p_memsz > ph->p_filesz && bss > file_end && (prot & PROT_WRITE))
            plan_write(p, file_end + bias, NULL, bss - file_end);
        how = MAP_FIXED;
    }
    if (ph->p_memsz > ph->p_filesz && end > bss) /* the kernel gives bss these rights, whatever the segment says */
        plan_mmap(p, im->path, bss + bias, end - bss, PROT_READ | PROT_WRITE | (prot & PROT_EXEC), how);
}

void plan_elf(struct plan *p, const struct elf_image *im, u64 bias, int first)
{
    u64 open_arg[6] = {(u64)AT_FDCWD, add_text(p, im->path), O_RDONLY | O_CLOEXEC};
    u32 fd_op = plan_call(p, im->path, SYS_openat, open_arg);
    int how = first;
    for (int i = 0; i < im->eh.e_phnum; i++) {
        if (im->ph[i].p_type != PT_LOAD || !im->ph[i].p_memsz)
            continue;
        plan_segment(p, im, &im->ph[i], bias, fd_op, how);
        how = MAP_FIXED;
    }
    u64 close_arg[6] = {0};
    u32 op = plan_call(p, im->path, SYS_close, close_arg);
    use_result(p, op, 0, fd_op);
}

bool plan_fits(const struct elf_image *im)
{
    int segments = 0;
    for (int i = 0; i < im->eh.e_phnum; i++)
        segments += im->ph[i].p_type == PT_LOAD;
    return 2 * segments + 2 <= PLAN_OPS && segments <= PLAN_MEMS;
}

static u64 run_call(volatile struct plan_op *op)
{
    if (op->from)
        *(u64 *)op->into = *(const u64 *)op->from;
    long r = syscall((long)op->nr, op->arg[0], op->arg[1], op->arg[2], op->arg[3], op->arg[4], op->arg[5]);
    return r == -1 ? (u64)-errno : (u64)r;
}

int plan_run(struct plan *p)
{
    ASSERT(p->at == (u64)&p->page);
    for (u32 i = 0; i < p->ops; i++) {
        p->page.op[i].result = run_call(&p->page.op[i]);
        if (p->page.op[i].result > (u64)-4096)
            return (int)i;
    }
    for (u32 i = 0; i < p->mems; i++) {
        if (p->mem[i].src)
            memcpy((void *)p->mem[i].dst, p->mem[i].src, p->mem[i].bytes);
        else
            memset((void *)p->mem[i].dst, 0, p->mem[i].bytes);
    }
    return -1;
}
