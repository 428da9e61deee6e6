// Constructors by priority with the program's arguments, destructors and atexit functions in reverse order.
#include "a_guest.h"

__attribute__((constructor(201))) static void second(void)
{
    puts("constructor 201");
}
__attribute__((constructor(101))) static void first(int argc, char **argv, char **envp)
{
    printf("constructor 101 argc %d argv %d envp %d\n", argc, argv[argc] == NULL, envp == argv + argc + 1);
}
__attribute__((destructor(101))) static void last(void)
{
    puts("destructor 101");
    fflush(stdout);
}
__attribute__((destructor(201))) static void before_last(void)
{
    puts("destructor 201");
}
static void at_exit_one(void)
{
    puts("atexit one");
}
static void at_exit_two(void)
{
    puts("atexit two");
    atexit(at_exit_one);
}
static void pre(void)
{
    static const char text[] = "preinit\n";
    CHECK(write(1, text, sizeof text - 1) == sizeof text - 1);
}
__attribute__((section(".preinit_array"), used)) static void (*const pre_pointer)(void) = pre;

int main(void)
{
    atexit(at_exit_two);
    puts("main");
    return 0;
}
