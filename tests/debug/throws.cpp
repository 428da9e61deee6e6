// SPDX-License-Identifier: Apache-2.0
// A guest for gdb: C++ exceptions.
#include <cstdio>
#include <stdexcept>

struct Held {
    int n;
    ~Held() { std::printf("let go of %d\n", n); }
};

static void fail(int n)
{
    Held held{n};
    if (n > 1)
        throw std::runtime_error("too many");
}

static int attempt(int n)
{
    try {
        fail(n);
    } catch (const std::exception &e) {
        std::printf("%d: %s\n", n, e.what());
        return 1;
    }
    return 0;
}

int main()
{
    int caught = 0;
    for (int i = 1; i < 5; i++)
        caught += attempt(i);
    std::printf("caught %d\n", caught);
    return 0;
}
