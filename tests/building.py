# SPDX-License-Identifier: Apache-2.0
"""What the test scripts build: a file is made under another name and renamed when it is whole, so that one of which the compiler was killed half way is never taken for a fresh one, and what an
earlier test still uses is never written over. It knows no compiler."""
import os
import shlex
import subprocess
import threading


def whole(out, command):
    """Runs a compiler's command, in which the word `out` is what it makes; the error text (warnings are errors), or None."""
    new = f"{out}.{os.getpid()}.{threading.get_ident()}"  # another runner may be at it
    done = subprocess.run([new if word == out else word for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode or done.stdout or not os.path.exists(new):
        if os.path.exists(new):
            os.unlink(new)
        return f"{shlex.join(command)}\n" + (done.stdout.decode(errors="replace") or f"status {done.returncode}")
    os.replace(new, out)
    return None


def fresh(out, sources, command):
    """Was it made by this command after the last change of its sources?"""
    note = out + ".cmd"
    if not os.path.exists(out) or not os.path.exists(note) or any(os.path.getmtime(out) <= os.path.getmtime(s) for s in sources):
        return False
    with open(note) as f:
        return f.read() == shlex.join(command)


def up_to_date(out, sources, command):
    """Makes it where it is not fresh; the error text, or None."""
    if fresh(out, sources, command):
        return None
    note = out + ".cmd"
    if os.path.exists(note):
        os.unlink(note)  # killed before the new one is written, it must not vouch for what another command has made
    error = whole(out, command)
    if not error:
        with open(note, "w") as f:
            f.write(shlex.join(command))
    return error
