// Code pages emptied by madvise and by a new mapping of the same file; and a child that patches its own copy after fork.
#include "a_guest.h"
#include <sys/wait.h>

int main(void)
{
    int fd = memfd_create("origin", 0), status;
    uint8_t code[CODE_RETURN_BYTES];
    code_return(code, 10);
    CHECK(fd >= 0 && ftruncate(fd, PAGE) == 0 && pwrite(fd, code, sizeof code, 0) == sizeof code);
    uint8_t *m = mmap(ARENA, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
    CHECK(m == ARENA);
    for (int i = 0; i < 20; i++) {
        CHECK(code_call(m) == 10);
        code_return(m, 20 + i); // private now
        CHECK(code_call(m) == 20 + i);
        CHECK(madvise(m, PAGE, MADV_DONTNEED) == 0); // the file's contents again
    }
    printf("%d\n", code_call(m));
    for (int i = 0; i < 5; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            code_return(m, 30 + i);
            _exit(code_call(m));
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        printf("child %d, parent %d\n", WEXITSTATUS(status), code_call(m));
    }
    return 0;
}
