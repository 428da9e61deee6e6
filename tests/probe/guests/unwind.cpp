/* SPDX-License-Identifier: Apache-2.0
 * Exceptions through functions that have probes at their start. */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct Guard {
    int *n;
    ~Guard() { ++*n; }
};

__attribute__((noinline)) static int inner(int n)
{
    if (n == 0)
        throw std::runtime_error("at the bottom");
    return n;
}

__attribute__((noinline)) static int outer(int n, int *guards)
{
    Guard g{guards};
    if (n > 5)
        return outer(n - 1, guards) + 1;
    return inner(n - 5);
}

int main()
{
    int guards = 0, caught = 0;
    for (int i = 0; i < 100; i++)
        try {
            printf("%d\n", outer(5 + i % 7, &guards));
        } catch (const std::exception &e) {
            caught += e.what()[0] == 'a';
        }
    std::vector<std::string> v;
    for (int i = 0; i < 1000; i++)
        v.push_back(std::to_string(i));
    printf("%d guards, %d caught, %zu\n", guards, caught, v.size());
    return 0;
}
