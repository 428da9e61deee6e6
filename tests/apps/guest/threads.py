# SPDX-License-Identifier: Apache-2.0
"""Threads: a queue, a lock, thread locals, a timer, a pool, a barrier."""
import concurrent.futures, queue, threading  # noqa: E401

jobs, results, lock, total = queue.Queue(), queue.Queue(), threading.Lock(), 0
local = threading.local()


def worker():
    global total
    local.count = 0
    while (n := jobs.get()) is not None:
        with lock:
            total += n
        local.count += 1
    results.put(local.count)


threads = [threading.Thread(target=worker) for _ in range(8)]
for t in threads:
    t.start()
for i in range(5000):
    jobs.put(i)
for _ in threads:
    jobs.put(None)
for t in threads:
    t.join()
print(total, sum(results.get() for _ in threads))
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(lambda n: n * n, range(1000))))
done = threading.Event()
timer = threading.Timer(0.05, done.set)
timer.start()
print(done.wait())
timer.join()
barrier, seen = threading.Barrier(5), []
group = [threading.Thread(target=lambda: seen.append(barrier.wait())) for _ in range(5)]
for t in group:
    t.start()
for t in group:
    t.join()
print(sorted(seen))
for _ in range(200):
    t = threading.Thread(target=lambda: None)
    t.start()
    t.join()
print(threading.active_count())
