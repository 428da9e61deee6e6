// SPDX-License-Identifier: Apache-2.0
// A library that is opened, called and closed, again and again, at the same place.
#include <dlfcn.h>

int main(void)
{
    void *place = 0;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        void *lib = dlopen("libm.so.6", RTLD_NOW);
        double (*f)(double) = lib ? (double (*)(double))dlsym(lib, "cbrt") : 0;
        if (!f || (place && place != (void *)f))
            return 3;
        place = (void *)f;
        sum += f(27.0);
        dlclose(lib);
    }
    return sum > 8.9 && sum < 9.1 ? 0 : 1;
}
//> pinned
//= routines: 3, their instructions: same each time
//= first instruction 3, second 3, routine 3
