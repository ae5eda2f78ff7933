#!/usr/bin/env python3
"""Measures other libraries that keep jobs in SQLite: huey (SqliteHuey) and APScheduler (SQLAlchemyJobStore).

    peers.py [runs|submits|lateness ...] [--quick] [--json] [--directory FOLDER]

jobs-bench --peers runs it for one subject after another and shows the figures beside its own. Alone, it prints them.
Both libraries get the durability that Apus has by default: WAL, and a sync for each commit.
"""

import argparse
import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

HERE = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(os.path.dirname(os.path.dirname(HERE)), ".build", "peers-venv")
UNAVAILABLE = 69
WORKERS = 8
CALLERS = 64

try:
    import apscheduler
    import huey
    import sqlalchemy
    from apscheduler.executors.pool import ThreadPoolExecutor as APExecutor
    from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
    from apscheduler.schedulers.background import BackgroundScheduler
except ImportError as error:
    python = os.path.join(VENV, "bin", "python3")
    if os.path.exists(python) and os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        os.execv(python, [python, os.path.abspath(__file__)] + sys.argv[1:])
    print(
        f"huey and APScheduler ({error}). This installs them for the benchmarks only:\n"
        f"  python3 -m venv {VENV} && {VENV}/bin/pip install -r {HERE}/requirements.txt",
        file=sys.stderr,
    )
    sys.exit(UNAVAILABLE)


class Note:
    """What the jobs do: count, and note when they began."""

    lock = threading.Lock()
    count = 0
    late = []

    @classmethod
    def reset(cls):
        cls.count, cls.late = 0, []


def no_op():
    with Note.lock:
        Note.count += 1


def note(due):
    late = (time.time() - due) * 1000
    with Note.lock:
        Note.count += 1
        Note.late.append(late)


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def wait_until(holds, what, seconds=120):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what} within {seconds} s")
        time.sleep(0.002)


def quantiles(late):
    late = sorted(late)
    pick = lambda share: late[min(len(late) - 1, int(len(late) * share))]
    return {"p50": pick(0.5), "p99": pick(0.99), "most": late[-1]}


def dues(jobs, seconds):
    """Unix times at random over some seconds, from soon on."""
    source = random.Random(2)
    start = time.time() + 2 + jobs / 200
    return [start + source.random() * seconds for _ in range(jobs)]


class Huey:
    """Tasks in SqliteHuey, run by its consumer with worker threads in this process."""

    name = "huey"

    def __init__(self, path):
        # `results` and `store_none` keep that a task has run; Apus keeps the outcome of each run too.
        self.huey = huey.SqliteHuey(
            filename=path, fsync=True, results=True, store_none=True, timeout=60, utc=False
        )
        self.no_op = self.huey.task(name="no_op")(no_op)
        self.note = self.huey.task(name="note")(note)

    @contextlib.contextmanager
    def consumer(self):
        consumer = self.huey.create_consumer(
            workers=WORKERS, initial_delay=0.01, max_delay=0.1, scheduler_interval=1, periodic=False
        )
        consumer.start()
        try:
            yield
        finally:
            consumer.stop(graceful=True)

    def fill(self, jobs):
        for _ in range(jobs):
            self.no_op()

    def runs(self, jobs):
        self.fill(jobs)
        Note.reset()
        start, cpu = time.monotonic(), cpu_seconds()
        with self.consumer():
            wait_until(lambda: Note.count >= jobs and self.huey.result_count() >= jobs, f"huey: {jobs} tasks did not run")
            return time.monotonic() - start, cpu_seconds() - cpu

    def submit(self, _):
        self.no_op.schedule(delay=86_400)

    def lateness(self, jobs, seconds):
        Note.reset()
        with self.consumer():
            for due in dues(jobs, seconds):
                self.note.schedule(args=(due,), eta=datetime.fromtimestamp(due))
            wait_until(lambda: Note.count >= jobs, f"huey: {jobs} tasks did not run")
        return quantiles(Note.late)

    def close(self):
        self.huey.storage.close()


class APScheduler:
    """Jobs in a SQLAlchemyJobStore, run by a BackgroundScheduler with worker threads in this process."""

    name = "APScheduler"

    def __init__(self, path):
        engine = sqlalchemy.create_engine(f"sqlite:///{path}", connect_args={"timeout": 60})

        @sqlalchemy.event.listens_for(engine, "connect")
        def durable(connection, _):
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")

        self.store = SQLAlchemyJobStore(engine=engine)
        self.scheduler = BackgroundScheduler(
            jobstores={"default": self.store}, executors={"default": APExecutor(WORKERS)},
            job_defaults={"misfire_grace_time": None}, timezone="UTC",
        )
        # Nothing runs before `resume`.
        self.scheduler.start(paused=True)

    def is_empty(self):
        return self.store.get_next_run_time() is None

    def runs(self, jobs):
        due = datetime.now().astimezone()
        for _ in range(jobs):
            self.scheduler.add_job(no_op, "date", run_date=due)
        Note.reset()
        start, cpu = time.monotonic(), cpu_seconds()
        self.scheduler.resume()
        wait_until(lambda: Note.count >= jobs, f"APScheduler: {jobs} jobs did not run")
        wait_until(self.is_empty, "APScheduler: the jobs were not removed")
        return time.monotonic() - start, cpu_seconds() - cpu

    def submit(self, _):
        self.scheduler.add_job(no_op, "date", run_date=datetime.now().astimezone() + timedelta(days=1))

    def lateness(self, jobs, seconds):
        Note.reset()
        self.scheduler.resume()
        for due in dues(jobs, seconds):
            self.scheduler.add_job(note, "date", run_date=datetime.fromtimestamp(due).astimezone(), args=[due])
        wait_until(lambda: Note.count >= jobs, f"APScheduler: {jobs} jobs did not run")
        return quantiles(Note.late)

    def close(self):
        self.scheduler.shutdown()


def runs(make, quick):
    jobs = 100 if quick else 500
    peer = make()
    taken, cpu = peer.runs(jobs)
    peer.close()
    return {"rate": jobs / taken, "cpu": cpu * 1e6 / jobs}


def submits(make, quick):
    jobs = 50 if quick else 100
    peer = make()
    peer.submit(0)
    start = time.monotonic()
    for number in range(jobs):
        peer.submit(number)
    sequence = jobs / (time.monotonic() - start)
    with ThreadPoolExecutor(CALLERS) as pool:
        start = time.monotonic()
        list(pool.map(peer.submit, range(jobs * 3)))
        together = jobs * 3 / (time.monotonic() - start)
    peer.close()
    return {"sequence": sequence, "together": together}


def lateness(make, quick):
    peer = make()
    figures = peer.lateness(*((100, 1) if quick else (500, 5)))
    peer.close()
    return figures


SUBJECTS = {"runs": runs, "submits": submits, "lateness": lateness}
UNITS = {"rate": "runs/s", "cpu": "µs/run", "sequence": "jobs/s", "together": "jobs/s"}
FOOTNOTES = {
    "runs": f"huey, APScheduler: {WORKERS} worker threads in one process, synchronous = FULL, 500 jobs a turn; huey's "
    "tasks are queued before its consumer starts; APScheduler keeps no outcome",
    "submits": f"huey, APScheduler: synchronous = FULL; at once means {CALLERS} threads",
    "lateness": f"huey, APScheduler: as many jobs a second, without pauses; {WORKERS} worker threads; huey looks at its "
    "schedule once a second, the most often that it can",
}


def measure(subject, directory, quick):
    peers = []
    for library in (Huey, APScheduler):
        path = os.path.join(directory, f"peers-{library.name}-{subject}.db")
        values = SUBJECTS[subject](lambda: library(path), quick)
        peers.append({"name": library.name, "values": values})
    return {"peers": peers, "footnotes": [FOOTNOTES[subject]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("subjects", nargs="*", choices=[[], *SUBJECTS], help="what to measure; everything unless given")
    parser.add_argument("--quick", action="store_true", help="little of everything, to check that it works")
    parser.add_argument("--json", action="store_true", help="print JSON, for jobs-bench; one subject only")
    parser.add_argument("--directory", help="where the files are made; a temporary folder unless given")
    options = parser.parse_args()
    subjects = options.subjects or list(SUBJECTS)
    # A hang ends the process.
    signal.alarm(400)
    directory = tempfile.mkdtemp(prefix="peers-", dir=options.directory)
    try:
        for subject in subjects:
            answer = measure(subject, directory, options.quick)
            if options.json:
                print(json.dumps(answer))
                continue
            print(f"{subject}: huey {huey.__version__}, APScheduler {apscheduler.version}")
            for peer in answer["peers"]:
                for key, value in peer["values"].items():
                    print(f"  {peer['name']:12} {key:10} {value:10.1f} {UNITS.get(key, 'ms')}")
            print(f"  * {answer['footnotes'][0]}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
