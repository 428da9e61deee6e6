// SPDX-License-Identifier: Apache-2.0
// System V shared memory, semaphores and message queues between parent and child; a removed segment stays while attached.
#include "b_check.h"
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>

struct message {
    long type;
    char text[16];
};

int main(void)
{
    int shm = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600), sem = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600), q = msgget(IPC_PRIVATE, IPC_CREAT | 0600), status;
    CHECK(shm >= 0 && sem >= 0 && q >= 0);
    int *mem = shmat(shm, 0, 0);
    const int *ro = shmat(shm, 0, SHM_RDONLY);
    CHECK(mem != (void *)-1 && ro != (void *)-1 && shmctl(shm, IPC_RMID, 0) == 0);
    struct sembuf down = { 0, -1, SEM_UNDO }, up = { 0, 1, SEM_UNDO };
    CHECK(semctl(sem, 0, SETVAL, 1) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    for (int i = 0; i < 1000; i++) {
        CHECK(semop(sem, &down, 1) == 0);
        mem[0] = mem[0] + 1;
        CHECK(semop(sem, &up, 1) == 0);
    }
    struct message m = { 5, "from child" };
    if (!pid) {
        CHECK(msgsnd(q, &m, sizeof m.text, 0) == 0);
        _exit(0);
    }
    memset(&m, 0, sizeof m);
    CHECK(msgrcv(q, &m, sizeof m.text, 5, 0) == sizeof m.text);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    say("count %d seen %d message %s\n", mem[0], ro[0], m.text);
    CHECK(shmdt(mem) == 0 && shmdt(ro) == 0);
    CHECK_ERR(shmat(shm, 0, 0), EINVAL);
    CHECK_ERR(shmdt(&status), EINVAL);
    CHECK(semctl(sem, 0, IPC_RMID) == 0 && msgctl(q, IPC_RMID, 0) == 0);
    CHECK_ERR(semop(sem, &up, 1), EINVAL);
    return 0;
}
