// SPDX-License-Identifier: Apache-2.0
// C++ for the compiler cases: virtual calls, exceptions through frames, templates, threads, thread_local, a condition variable.
#include <algorithm>
#include <condition_variable>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double s) : side(s) { if (s < 0) throw std::invalid_argument("negative side " + std::to_string(int(s))); }
    double area() const override { return side * side; }
};
struct Circle : Shape {
    double r;
    explicit Circle(double r) : r(r) {}
    double area() const override { return r * r * 3.25; }
};

static int deep(int n)
{
    struct Guard { int &n; ~Guard() { n++; } };
    static thread_local int unwound;
    Guard guard{unwound};
    if (n == 0)
        throw std::runtime_error("bottom");
    try {
        return deep(n - 1);
    } catch (const std::logic_error &) {
        return -1;
    }
}

static long queue_threads()
{
    std::mutex m;
    std::condition_variable cv;
    std::vector<int> queue;
    bool done = false;
    long sum = 0;
    std::vector<std::thread> workers;
    for (int t = 0; t < 4; t++)
        workers.emplace_back([&] {
            std::unique_lock lock(m);
            for (;;) {
                cv.wait(lock, [&] { return done || !queue.empty(); });
                if (queue.empty())
                    return;
                sum += queue.back();
                queue.pop_back();
            }
        });
    for (int i = 0; i < 5000; i++) {
        std::lock_guard lock(m);
        queue.push_back(i);
        cv.notify_one();
    }
    { std::lock_guard lock(m); done = true; }
    cv.notify_all();
    for (auto &w : workers)
        w.join();
    return sum;
}

int main()
{
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < 1000; i++)
        if (i % 3) shapes.push_back(std::make_unique<Square>(i)); else shapes.push_back(std::make_unique<Circle>(i));
    std::cout << std::accumulate(shapes.begin(), shapes.end(), 0.0, [](double s, auto &p) { return s + p->area(); }) << '\n';
    int caught = 0;
    for (int i = 0; i < 200; i++)
        try { deep(i % 20); } catch (const std::exception &e) { caught += std::string(e.what()) == "bottom"; }
    std::cout << "caught " << caught << '\n';
    try { Square s(-4); } catch (const std::invalid_argument &e) { std::cout << e.what() << '\n'; }
    std::cout << "sum " << queue_threads() << '\n';
    auto f = std::async(std::launch::async, [] { throw std::runtime_error("from a thread"); });
    try { f.get(); } catch (const std::exception &e) { std::cout << e.what() << '\n'; }
    std::map<std::string, int> count;
    std::istringstream text("to be or not to be that is the question");
    for (std::string w; text >> w;) count[w]++;
    for (auto &[w, n] : count) std::cout << w << n << ' ';
    std::cout << std::regex_replace("a1b22c333", std::regex("[0-9]+"), "#") << '\n';
}
