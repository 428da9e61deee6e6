// SPDX-License-Identifier: Apache-2.0
// Something of everything that a tool is told of: a thread, a signal, a child, a routine that is replaced. It ends with
// status 3, or 4 if its child ends with 7.
// modes: plain slow
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int replaced(void) { return 1; }

static void handler(int sig) { (void)sig; }
static void *runs(void *arg) { return arg; }

int main(void)
{
    pthread_t thread;
    int status = 0;
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    pthread_create(&thread, 0, runs, 0);
    pthread_join(thread, 0);
    pid_t child = fork();
    if (!child)
        _exit(0);
    waitpid(child, &status, 0);
    return replaced() ? 5 : WEXITSTATUS(status) == 7 ? 4 : 3;
}
//> exits where=main status=7
//> exits where=ins status=7
//> exits where=inserted status=7
//> exits where=trace status=7
//> exits where=analysis status=7
//> exits where=image status=7
//> exits where=unload status=7
//> exits where=routine status=7
//> exits where=replacement status=7
//> exits where=start status=7
//> exits where=thread status=7
//> exits where=thread_end status=7
//> exits where=internal status=7
//> exits where=syscall status=7
//> exits where=syscall_exit status=7
//> exits where=prepare status=7
//> exits where=fini status=7
//> exits where=signal status=7
//> exits where=change status=7
//> exits where=exception status=7
//> exits where=fork status=4
//> exits where=nowhere status=3
