// Every exit status, by return from _exit in a child.
#include "a_guest.h"
#include <sys/wait.h>

int main(void)
{
    for (int i = 0; i < 256; i += i < 8 || i > 120 ? 1 : 8) {
        int status;
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0)
            _exit(i);
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status));
        printf("%d ", WEXITSTATUS(status));
    }
    printf("\n");
    return 0;
}
