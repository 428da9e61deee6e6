// SPDX-License-Identifier: Apache-2.0
// A program with libraries whose files have other names than the paths by which they are opened: of the file (libstdc++), of
// its folder (/lib, a link in most systems), of a folder that the program makes itself. It says which names its loader has.
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <unistd.h>

extern "C" void at_named(const char *) __attribute__((noinline));
extern "C" void at_named(const char *) { __asm__ volatile(""); }

static int each(struct dl_phdr_info *info, size_t, void *count)
{
    at_named(info->dlpi_name);
    ++*(int *)count;
    return 0;
}

int main()
{
    int count = 0;
    char folder[] = "/tmp/openedXXXXXX";
    void *libm = dlopen("libm.so.6", RTLD_NOW), *f = libm ? dlsym(libm, "cbrt") : nullptr;
    Dl_info info;
    if (!f || !dladdr(f, &info) || !mkdtemp(folder))
        return 3;
    std::string path = info.dli_fname, link = std::string(folder) + "/link";
    if (symlink(path.substr(0, path.rfind('/')).c_str(), link.c_str()))
        return 4;
    void *other = dlopen((link + "/libanl.so.1").c_str(), RTLD_NOW);
    dl_iterate_phdr(each, &count);
    unlink(link.c_str());
    rmdir(folder);
    return !other || count < 5;
}
//> opened
//= libstdc++.so.6
//= several images
