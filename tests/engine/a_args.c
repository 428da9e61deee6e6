// Arguments and environment arrive exactly: empty strings, spaces, bytes above 127, something like options.
// test: args='' a 'b c' '' -t -- 'é' '*' "'" '\n' ''
// test: status=12
// test: env=X=1
// test: env=EMPTY=
// test: env=EQ=a=b=c
// test: env=LD_BIND_NOW=1
#include "a_guest.h"
extern char **environ;

int main(int argc, char **argv, char **envp)
{
    CHECK(envp == environ && argv[argc] == NULL && envp == argv + argc + 1);
    for (int i = 1; i < argc; i++)
        printf("%d <%s>\n", i, argv[i]);
    for (char **e = envp; *e; e++)
        printf("<%s>\n", *e);
    for (int i = 1; i < argc; i++)
        CHECK(argv[i] == argv[i - 1] + strlen(argv[i - 1]) + 1); // the kernel packs them
    CHECK(environ[0] == argv[argc - 1] + strlen(argv[argc - 1]) + 1);
    return argc;
}
