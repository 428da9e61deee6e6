// C++ exceptions: thrown through many frames with destructors, rethrown, from a library callback, and uncaught in a noexcept function.
// test: status=SIGABRT
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

static int destroyed;
struct Guard {
    ~Guard() { destroyed++; }
};

__attribute__((noinline)) static int descend(int n)
{
    Guard guard;
    if (n == 0)
        throw std::runtime_error("bottom");
    return descend(n - 1) + 1;
}

static void rethrow(int n)
{
    try {
        descend(n);
    } catch (const std::runtime_error &e) {
        if (n & 1)
            throw;
        throw std::logic_error(std::string(e.what()) + " " + std::to_string(n));
    }
}

int main()
{
    for (int i = 0; i < 100; i++)
        try {
            rethrow(i);
        } catch (const std::logic_error &e) {
            if (i > 95)
                std::printf("logic %s\n", e.what());
        } catch (const std::exception &e) {
            if (i > 95)
                std::printf("other %s\n", e.what());
        }
    std::printf("%d\n", destroyed);
    std::vector<int> v{5, 4, 3, 2, 1};
    try {
        std::sort(v.begin(), v.end(), [](int a, int b) { return a == 3 && b == 4 ? throw 7 : a < b; });
    } catch (int x) {
        std::printf("caught %d\n", x);
    }
    try {
        std::printf("%d\n", (int)v.at(9));
    } catch (std::out_of_range &) {
        std::puts("out of range");
    }
    std::set_terminate([] { std::puts("terminate"); std::fflush(stdout); std::abort(); });
    [](int n) noexcept { descend(n); }(3);
}
