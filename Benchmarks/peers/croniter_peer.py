#!/usr/bin/env python3
"""Measures croniter: microseconds for the next instant of each cron expression on standard input.

    croniter_peer.py ZONE < EXPRESSIONS     prints a number for each line

calendar-bench --peer runs it and shows the figures beside its own.
"""

import os
import random
import subprocess
import sys
import time
from datetime import datetime
from zoneinfo import ZoneInfo

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VENV = os.path.join(ROOT, ".build", "calendar-venv")
WANTED = os.path.join(ROOT, "Tests", "ApusCalendarOracles", "requirements.txt")

try:
    from croniter import croniter
except ImportError:
    python = os.path.join(VENV, "bin", "python3")
    if sys.executable == python:
        sys.exit("croniter_peer.py: croniter is not in " + VENV)
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", WANTED], check=True)
    os.execv(python, [python, __file__, *sys.argv[1:]])

COUNT = 300


def main():
    zone = ZoneInfo(sys.argv[1])
    for line in sys.stdin:
        numbers = random.Random(1)
        bases = [datetime.fromtimestamp(numbers.randrange(1_795_000_000, 1_920_000_000), zone) for _ in range(COUNT)]
        expression = line.strip()
        # Read once; what is measured is the search.
        search = croniter(expression, bases[0])
        start = time.process_time()
        for base in bases:
            search.set_current(base, force=True)
            search.get_next(datetime)
        print((time.process_time() - start) * 1e6 / COUNT, flush=True)


main()
