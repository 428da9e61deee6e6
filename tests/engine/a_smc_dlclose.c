// Two libraries that take turns at the same address: what was translated of the one must not run for the other.
// test: wrap=setarch -R
// test: so=one -DPART=1
// test: so=two -DPART=2
#include "a_guest.h"
#ifdef PART
int value(int x);
int value(int x)
{
    return x * PART + 1000 * PART;
}
#else
#include <dlfcn.h>

int main(void)
{
    void *last = NULL;
    int same = 0, sum = 0;
    for (int i = 0; i < 40; i++) {
        void *lib = dlopen(i & 1 ? "a_smc_dlclose.two.so" : "a_smc_dlclose.one.so", RTLD_NOW);
        CHECK(lib);
        int (*value)(int) = (int (*)(int))dlsym(lib, "value");
        for (int k = 0; k < 5; k++) {
            CHECK(value(k) == k * (1 + (i & 1)) + 1000 * (1 + (i & 1)));
            sum += value(k);
        }
        same += (void *)value == last;
        last = (void *)value;
        CHECK(dlclose(lib) == 0);
    }
    printf("%d, same address %d times\n", sum, same);
    return 0;
}
#endif
