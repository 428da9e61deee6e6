# SPDX-License-Identifier: Apache-2.0
"""The workloads that IA-32 programs are measured with: those of the table (workloads.py) whose programs Debian has for i386, on other
sizes. scripts/i386-root unpacks the programs into a folder; each is run there by its own loader, natively and under every engine
alike. It measures nothing."""

import dataclasses
import os
import subprocess

from workloads import WORKLOADS

# Workload, package, size of a full run (about two seconds natively).
TABLE = (("bzip2", "bzip2", 25_000_000), ("gzip", "gzip", 25_000_000), ("xz", "xz-utils", 4_000_000), ("cc1", "cpp-12", 150_000), ("perl", "perl", 300),
         ("python", "python3", 180), ("sqlite", "sqlite3", 400_000), ("gnugo", "gnugo", 12), ("stockfish", "stockfish", 9), ("hmmer", "hmmer", 2500),
         ("povray", "povray", 130), ("x264", "x264", 120), ("gap", "gap-core", 4), ("lua", "lua5.4", 180))
PREFIX = "i386-"
FOLDERS = ("usr/lib/i386-linux-gnu/gap", "usr/bin", "bin", "usr/games", "usr/lib/gcc/i686-linux-gnu/12")  # where the programs are
PEERS = ("valgrind",)  # of the engines that are measured beside ours, those that run 32-bit programs


def workloads():
    """Of the group ia32. They are no part of a quick run: the folder of packages is half a gigabyte."""
    loads = {load.name: load for load in WORKLOADS}
    return [dataclasses.replace(loads[name], name=PREFIX + name, size=size, quick=None, short=None, group="ia32") for name, _, size in TABLE]


class Root:
    """The folder with the unpacked packages."""

    def __init__(self, top, folder):
        self.top, self.folder = top, folder

    def prepare(self):
        """Unpacks what is missing. Says why it cannot, or nothing."""
        packages = [package for _, package, _ in TABLE] + ["valgrind"]
        done = subprocess.run([os.path.join(self.top, "scripts", "i386-root"), self.folder, *packages], stderr=subprocess.PIPE, text=True, check=False)
        return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["scripts/i386-root failed"])[-1]

    def find(self, program):
        for folder in FOLDERS:
            path = os.path.join(self.folder, folder, os.path.basename(program))
            if os.path.exists(path):
                return os.path.realpath(path)
        raise SystemExit(f"bench: {program} is not in the i386 packages")

    def command(self, argv):
        """The command by the folder's own loader."""
        with open(os.path.join(self.folder, "libraries"), encoding="utf-8") as f:
            libraries = f.read()
        return [os.path.join(self.folder, "lib", "ld-linux.so.2"), "--library-path", libraries, self.find(argv[0]), *argv[1:]]

    def environment(self):
        """Where interpreters find their libraries, and valgrind its 32-bit tools."""
        usr = os.path.join(self.folder, "usr")
        perl = [os.path.join(usr, tail) for tail in ("lib/i386-linux-gnu/perl-base", "lib/i386-linux-gnu/perl/5.36", "share/perl/5.36")]
        return {"PERL5LIB": ":".join(perl), "PYTHONHOME": usr, "VALGRIND_LIB": os.path.join(usr, "libexec", "valgrind")}

    def gap(self):
        """Debian's gap is a script; the program, and where its library is."""
        return ["gap", "-l", os.path.join(self.folder, "usr/share/gap") + ";" + os.path.join(self.folder, "usr/lib/i386-linux-gnu/gap")]
