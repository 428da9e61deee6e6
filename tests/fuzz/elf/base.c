/* SPDX-License-Identifier: Apache-2.0
 * What the ELF fuzzer damages: small programs and a shared object from this one source. PLUGIN: the shared object; HOST: the program that loads it (its argument); BSS: bytes of it. */
#include <stdio.h>

#ifdef HOST
#include <dlfcn.h>
#endif
#ifdef BSS
static char large[BSS];
#endif

static __thread int counter = 3;
static const char *const words[] = {"one", "two", "three"};
static int started;

__attribute__((constructor)) static void begin(void)
{
    started++;
}

__attribute__((noinline)) static int add(int a, int b)
{
    counter++;
    return a + b;
}

#ifdef PLUGIN
int plugin_value = 40;

int plugin_call(int n)
{
    printf("plugin %s %d\n", words[n % 3], started);
    return add(plugin_value, counter);
}
#else
static int work(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum = add(sum, i);
#ifdef BSS
    large[BSS - 1] = (char)sum;
    sum += large[0];
#endif
    return sum;
}

int main(int argc, char **argv)
{
    printf("%s %d %d %s\n", words[argc % 3], work(), started, argc > 2 ? argv[2] : "");
#ifdef HOST
    void *h = dlopen(argv[1], RTLD_NOW);
    int (*call)(int) = h ? (int (*)(int))dlsym(h, "plugin_call") : NULL;
    if (!call)
        printf("%s\n", dlerror());
    printf("%d\n", call ? call(1) : -1);
#else
    (void)argv;
#endif
    return counter;
}
#endif
