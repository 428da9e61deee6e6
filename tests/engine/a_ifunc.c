// IFUNC resolvers run during relocation, before any constructor.
// test[pie]: cc=-pie -fPIE
// test[static]: cc=-static
// test[staticpie]: cc=-static-pie -fPIE
// test[now]: cc=-Wl,-z,now
#include "a_guest.h"
static int resolved;

static int plus(int a, int b)
{
    return a + b;
}
static int (*resolve(void))(int, int)
{
    __builtin_cpu_init();
    resolved++;
    return plus;
}
int add(int a, int b) __attribute__((ifunc("resolve")));

int main(void)
{
    int (*volatile pointer)(int, int) = add;
    printf("%d %d\n", add(2, 3), pointer(4, 5));
    printf("resolved %d\n", resolved > 0);
    CHECK(add(1, 1) == 2);
    return 0;
}
