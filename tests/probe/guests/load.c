/* SPDX-License-Identifier: Apache-2.0
 * A library that is loaded, used, unloaded and loaded again: its constructor already calls the function with a probe. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 0; i < 3; i++) {
        void *lib = dlopen(argv[argc - 1], RTLD_NOW);
        int (*f)(int) = lib ? (int (*)(int))dlsym(lib, "loaded_function") : NULL;
        if (!f) {
            printf("%s\n", dlerror());
            return 1;
        }
        printf("%d\n", f(i));
        dlclose(lib);
    }
    return 0;
}
