"""A daemon with ten thousand jobs, of which some can be made to run every second."""

from __future__ import annotations

import concurrent.futures
import time

import support

JOBS = 10_000
# Jobs that repeat every second, so as many runs a second.
BEATS = 100
SECONDS = 8


class ManyJobs(support.BrowserTest):
    @classmethod
    def setUpClass(cls) -> None:
        cls.daemon = support.Daemon()
        cls.addClassCleanup(cls.daemon.end)
        started = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(8) as workers:
            list(workers.map(cls.submit_some, [range(start, JOBS, 8) for start in range(8)]))
        print(f"{JOBS} jobs submitted in {time.monotonic() - started:.1f} s")

    @classmethod
    def submit_some(cls, numbers: range) -> None:
        connection = cls.daemon.connection()
        for number in numbers:
            after = {"after": f"{7 + number / 100:.2f}h"}
            connection.ask("POST", "/v1/jobs", {"name": f"job {number}", "trigger": after, "action": {"notify": f"text {number}"}})
        connection.close()

    def load(self) -> None:
        self.page.goto(self.daemon.url)
        support.wait_for("all jobs", lambda: self.page.locator("#jobs-status").text_content() == f"{JOBS:,} jobs")

    def start_beats(self) -> None:
        """Jobs that run every second, until the test has ended."""
        connection = self.daemon.connection()
        beat = {"trigger": {"every": "1s"}, "action": {"notify": "beat"}, "labels": {"load": "beat"}}
        beats = [connection.ask("POST", "/v1/jobs", {"name": f"beat {number}", **beat})["id"] for number in range(BEATS)]
        connection.close()
        self.addCleanup(self.cancel, beats)

    def cancel(self, jobs: list[str]) -> None:
        connection = self.daemon.connection()
        for job in jobs:
            connection.ask("DELETE", f"/v1/jobs/{job}")
        connection.close()

    def scroll(self) -> int:
        """Scrolls in the list for some seconds; how many runs there were meanwhile."""
        self.page.mouse.move(400, 600)
        before = self.runs()
        started = time.monotonic()
        while time.monotonic() - started < SECONDS:
            self.page.mouse.wheel(0, 900)
            self.page.wait_for_timeout(250)
        return self.runs() - before

    def runs(self) -> int:
        """How often the beats have run, as the daemon says."""
        return sum(job["occurrences"] for job in self.daemon.json("list", "--limit", "1000", "--label", "load=beat")["jobs"])
