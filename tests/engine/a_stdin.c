// Standard input comes through, by stdio and by read.
// test: stdin=first line\nsecond line\n\n12345 678\nno newline
#include "a_guest.h"

int main(void)
{
    char line[100];
    int n = 0;
    while (fgets(line, sizeof line, stdin))
        printf("%d %zu %s", ++n, strlen(line), line);
    printf("\n%d %d\n", feof(stdin) != 0, ferror(stdin));
    CHECK(lseek(0, 6, SEEK_SET) == 6 && read(0, line, 4) == 4);
    printf("%.4s\n", line);
    fprintf(stderr, "to stderr\n");
    return 0;
}
