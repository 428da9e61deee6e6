# SPDX-License-Identifier: Apache-2.0
# A guest for gdb: what the interpreter does for this.
import os
import signal
import threading

together, end = threading.Barrier(2), threading.Event()


def handler(number, _):
    print("signal", number)


def work():
    together.wait()
    end.wait()


signal.signal(signal.SIGUSR1, handler)
thread = threading.Thread(target=work)
thread.start()
together.wait()
print(os.getpgid(0) > 0)
os.kill(os.getpid(), signal.SIGUSR1)
end.set()
thread.join()
print(sum(n * n for n in range(295, 305)))
