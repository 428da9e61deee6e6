// Code in a shared file mapping, changed by write() to the file, by another mapping, and by truncation and growth.
#include "a_guest.h"
#include <fcntl.h>

int main(void)
{
    int fd = open("code.bin", O_RDWR | O_CREAT | O_TRUNC, 0755);
    CHECK(fd >= 0 && ftruncate(fd, PAGE) == 0);
    uint8_t *x = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    CHECK(x != MAP_FAILED);
    unsigned sum = 0;
    for (int i = 0; i < 300; i++) {
        uint8_t code[CODE_RETURN_BYTES];
        code_return(code, i);
        CHECK(pwrite(fd, code, sizeof code, 32) == sizeof code);
        CHECK(code_call(x + 32) == i && code_call(x + 32) == i);
        sum = sum * 31 + (unsigned)i;
    }
    printf("%x\n", sum);
    uint8_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd, 0);
    CHECK(code_call(p + 32) == 299);
    code_return(p + 32, 5); // the private copy only
    printf("%d %d\n", code_call(p + 32), code_call(x + 32));
    int other = open("code.bin", O_RDWR);
    uint8_t *w = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);
    code_return(w + 32, 6);
    printf("%d %d\n", code_call(p + 32), code_call(x + 32));
    return 0;
}
