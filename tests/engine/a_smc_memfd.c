// One memory file mapped twice, writable here and executable there: what is written through the one runs through the other.
#include "a_guest.h"

int main(void)
{
    int fd = memfd_create("code", 0);
    CHECK(fd >= 0 && ftruncate(fd, 2 * PAGE) == 0);
    uint8_t *w = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    uint8_t *x = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    CHECK(w != MAP_FAILED && x != MAP_FAILED);
    unsigned sum = 0;
    for (int i = 0; i < 1000; i++) {
        int at = i % 3 * 2046; // the last one lies across the pages
        code_return(w + at, i);
        int r = code_call(x + at);
        CHECK(r == i);
        sum = sum * 31 + (unsigned)r;
    }
    code_return(w, 1);
    CHECK(code_call(x) == 1);
    code_return(w, 2);
    CHECK(code_call(x) == 2);
    uint8_t other[CODE_RETURN_BYTES];
    code_return(other, 77);
    CHECK(pwrite(fd, other, sizeof other, 0) == sizeof other); // and by the file itself
    printf("%x %d\n", sum, code_call(x));
    return 0;
}
