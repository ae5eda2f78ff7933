"""Processes in one virtual time: a child by fork, one by a thread of its own program, and a shell write into one pipe.

The reader prints each line as it comes, with its own time.
"""
import os
import subprocess
import sys
import time


def ticks(name, period, count):
    for _ in range(count):
        time.sleep(period)
        os.write(1, f"{name} {time.time() - BEGIN:.9f}\n".encode())


BEGIN = float(sys.argv[1]) if len(sys.argv) > 1 else time.time()
if len(sys.argv) > 1:
    ticks("a program", 7, 8)
    sys.exit()

readable, writable = os.pipe()
if os.fork() == 0:
    os.dup2(writable, 1)
    ticks("a fork", 11, 5)
    os._exit(0)
subprocess.Popen([sys.executable, __file__, str(BEGIN)], stdout=writable)
subprocess.Popen(["sh", "-c", "for n in 1 2; do sleep 20; echo a shell $(($(date +%s) - $0)); done", str(int(BEGIN))],
                 stdout=writable)
os.close(writable)
with os.fdopen(readable) as lines:
    for line in lines:
        print(f"{time.time() - BEGIN:.9f} {line}", end="")
