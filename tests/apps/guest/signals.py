# SPDX-License-Identifier: Apache-2.0
"""Signals: handlers, alarms, masks, sigwait, pending, real-time queueing, interrupted sleeps, one thread's signal."""
import os, signal, threading, time  # noqa: E401

seen = []
for s in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGRTMIN):
    signal.signal(s, lambda n, f: seen.append(n))
for _ in range(100):
    os.kill(os.getpid(), signal.SIGUSR1)
print(seen.count(signal.SIGUSR1))
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2, signal.SIGRTMIN})
os.kill(os.getpid(), signal.SIGUSR2)
os.kill(os.getpid(), signal.SIGUSR2)
print(sorted(signal.sigpending()), seen.count(signal.SIGUSR2))
signal.pthread_sigmask(signal.SIG_SETMASK, set())
print(seen.count(signal.SIGUSR2))
ticks = []
signal.signal(signal.SIGALRM, lambda n, f: ticks.append(n))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
while len(ticks) < 20:
    sum(range(1000))
signal.setitimer(signal.ITIMER_REAL, 0)
print("ticked")
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM))
timer.start()
print(signal.sigwait({signal.SIGTERM}))
timer.join()
main = threading.get_ident()
timer = threading.Timer(0.05, lambda: signal.pthread_kill(main, signal.SIGUSR1))
before = seen.count(signal.SIGUSR1)
timer.start()
start = time.monotonic()
time.sleep(0.3)
print(time.monotonic() - start >= 0.3)
timer.join()
print(seen.count(signal.SIGUSR1) - before)
read, write = os.pipe()
signal.set_wakeup_fd(write, warn_on_full_buffer=False) if os.set_blocking(write, False) is None else None
os.kill(os.getpid(), signal.SIGUSR1)
print(os.read(read, 1))
pid = os.fork()
if pid == 0:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    os.kill(os.getpid(), signal.SIGTERM)
    os._exit(1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
