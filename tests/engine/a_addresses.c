// Without address randomisation everything is where it is natively.
// test: wrap=setarch -R
// test[pie]: cc=-pie -fPIE
// test[nopie]: cc=-no-pie -fno-pie
// test[static]: cc=-static
// test[staticpie]: cc=-static-pie -fPIE
// test[musl]: compiler=musl-gcc
#include "a_guest.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>

static __thread int tls;
static int data = 1;
static void *body(void *arg)
{
    (void)arg;
    return &tls;
}

int main(int argc, char **argv, char **envp)
{
    pthread_t t;
    void *r;
    printf("main %p data %p argv %p %p env %p %p\n", (void *)main, (void *)&data, (void *)argv, argv[0], (void *)envp, envp[0]);
    printf("stack %p frame %p\n", (void *)&argc, __builtin_frame_address(0));
    printf("brk %p\n", sbrk(0));
    printf("malloc %p %p\n", malloc(10), malloc(1 << 20));
    printf("brk %p\n", sbrk(0));
    printf("mmap %p\n", mmap(NULL, 1 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    printf("huge %p\n", mmap(NULL, 1l << 32, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    printf("low %p\n", mmap(NULL, 1 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0));
    printf("libc %p %p\n", (void *)printf, (void *)strlen);
    printf("vdso %#lx random %#lx base %#lx\n", getauxval(AT_SYSINFO_EHDR), getauxval(AT_RANDOM), getauxval(AT_BASE));
    printf("tls %p\n", (void *)&tls);
    CHECK(pthread_create(&t, NULL, body, NULL) == 0 && pthread_join(t, &r) == 0);
    printf("thread tls %p\n", r);
    return 0;
}
