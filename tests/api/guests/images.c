// SPDX-License-Identifier: Apache-2.0
// An ordinary program: the order of images, a library opened and closed.
#include <dlfcn.h>
#include <stdio.h>

long f(long a, long b, long c, long d, long e, long g, long h);
long __attribute__((noinline)) f(long a, long b, long c, long d, long e, long g, long h)
{
    __asm__ volatile("");
    return a + b + c + d + e + g + h;
}

int main(void)
{
    void *lib = dlopen("libm.so.6", RTLD_NOW);
    if (!lib)
        return 3;
    dlclose(lib);
    return f(1, 2, 3, 4, 5, 6, 7) == 28 ? 0 : 1;
}
//> rtn
//= load: main images
//= f at f, 22 bytes, images
//= no g
//= load: interpreter ld-linux-x86-64.so.2
//= load: vdso 
//= load: libc.so.6
//= load: libm.so.6
//= unload libm.so.6
//= f(0x1, 0x2, ..., 0x7) from main+77
//= f returns 0x1c
//= unload images
//= unload ld-linux-x86-64.so.2
//= unload [vdso]
//= unload libc.so.6
//= fini 0
//> objects
//= objects: right
