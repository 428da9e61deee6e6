# SPDX-License-Identifier: Apache-2.0
"""Processes: fork, exec, pipes, statuses, multiprocessing, a process group."""
import multiprocessing, os, signal, subprocess, sys  # noqa: E401

print(subprocess.run(["tr", "a-z", "A-Z"], input=b"pipe\n", capture_output=True, check=True).stdout)
print(subprocess.run("exit 3", shell=True, check=False).returncode, subprocess.call(["false"]))
print(subprocess.check_output([sys.executable, "-c", "import os; print(os.environ['X'])"], env={"X": "value"}))
try:
    subprocess.run(["/no/such/program"], check=True)
except FileNotFoundError as e:
    print(e.strerror)
p = subprocess.Popen(["sleep", "60"])
p.send_signal(signal.SIGTERM)
print(p.wait())
try:
    subprocess.run(["sleep", "60"], timeout=0.1, check=False)
except subprocess.TimeoutExpired:
    print("timeout")
for i in range(20):
    pid = os.fork()
    if pid == 0:
        os._exit(i)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == i
pid = os.posix_spawn("/bin/echo", ["echo", "spawned"], {})
print(os.waitpid(pid, 0)[1], flush=True)


def square(n):
    return n * n


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print(sum(pool.map(square, range(300))))
    pipe = subprocess.Popen("seq 20000 | sort -rn | head -3", shell=True, stdout=subprocess.PIPE)
    print(pipe.communicate()[0])
