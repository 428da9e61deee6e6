// SPDX-License-Identifier: Apache-2.0
// io_uring, where the kernel has it: NOP, write and read requests complete with the right results through shared rings.
#include "b_check.h"
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static struct io_uring_sqe *sqes;
static char *sq, *cq;
static struct io_uring_params par;
static int ring;

static int request(int op, int fd, void *buf, unsigned len)
{
    unsigned *tail = (unsigned *)(sq + par.sq_off.tail), mask = *(unsigned *)(sq + par.sq_off.ring_mask), i = *tail & mask;
    sqes[i] = (struct io_uring_sqe){ .opcode = op, .fd = fd, .addr = (uintptr_t)buf, .len = len, .user_data = 100 + op };
    ((unsigned *)(sq + par.sq_off.array))[i] = i;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    CHECK(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, 0, 0) == 1);
    unsigned *head = (unsigned *)(cq + par.cq_off.head);
    CHECK(__atomic_load_n((unsigned *)(cq + par.cq_off.tail), __ATOMIC_ACQUIRE) == *head + 1);
    struct io_uring_cqe *e = (struct io_uring_cqe *)(cq + par.cq_off.cqes) + (*head & *(unsigned *)(cq + par.cq_off.ring_mask));
    CHECK((int)e->user_data == 100 + op);
    int res = e->res;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    return res;
}

int main(void)
{
    ring = syscall(SYS_io_uring_setup, 8, &par);
    if (ring < 0) {
        say("no io_uring: errno %d\n", errno);
        return 0;
    }
    int prot = PROT_READ | PROT_WRITE, p[2];
    char buf[8] = { 0 };
    sq = mmap(0, par.sq_off.array + par.sq_entries * 4, prot, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
    cq = mmap(0, par.cq_off.cqes + par.cq_entries * sizeof(struct io_uring_cqe), prot, MAP_SHARED, ring, IORING_OFF_CQ_RING);
    sqes = mmap(0, par.sq_entries * sizeof *sqes, prot, MAP_SHARED, ring, IORING_OFF_SQES);
    CHECK(sq != MAP_FAILED && cq != MAP_FAILED && sqes != MAP_FAILED && pipe(p) == 0);
    say("nop %d\n", request(IORING_OP_NOP, -1, 0, 0));
    for (int i = 0; i < 20; i++)
        CHECK(request(IORING_OP_WRITE, p[1], "ring", 4) == 4 && request(IORING_OP_READ, p[0], buf, 8) == 4 && !memcmp(buf, "ring", 4));
    say("bad descriptor %d\n", request(IORING_OP_READ, 999, buf, 8));
    return 0;
}
