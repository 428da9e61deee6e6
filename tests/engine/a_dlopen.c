// Opening libraries: constructors, destructors, symbols of the program seen from the library, errors, lazy binding, dladdr.
// test: cc=-rdynamic
// test: so=lib -DPART
#include "a_guest.h"
#ifdef PART
extern int from_main(int);
__attribute__((constructor)) static void begin(void)
{
    puts("library begins");
}
__attribute__((destructor)) static void end(void)
{
    puts("library ends");
}
int twice(int x)
{
    return 2 * from_main(x);
}
#else
#include <dlfcn.h>
int from_main(int x);
int from_main(int x)
{
    return x + 1;
}

int main(void)
{
    CHECK(!dlopen("a_no_such_library.so", RTLD_NOW));
    printf("%s\n", dlerror());
    for (int i = 0; i < 3; i++) {
        void *lib = dlopen("a_dlopen.lib.so", i & 1 ? RTLD_NOW : RTLD_LAZY);
        CHECK(lib);
        int (*twice)(int) = (int (*)(int))dlsym(lib, "twice");
        printf("%d\n", twice(i));
        Dl_info info;
        CHECK(dladdr(twice, &info));
        printf("%s %s\n", strrchr(info.dli_fname, '/') + 1, info.dli_sname);
        CHECK(!dlsym(lib, "no_such_symbol"));
        CHECK(dlclose(lib) == 0);
    }
    return 0;
}
#endif
