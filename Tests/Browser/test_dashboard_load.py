"""The dashboard with many jobs. Run: python3 Tests/Browser/test_dashboard_load.py

These are the only tests that assert times, because the times are what is promised: a page that is there in a second, and
does not stutter. Each takes the best of some rounds: another program that is at work can make a page slower, and none
can make it faster. The figures are printed.
"""

from __future__ import annotations

import concurrent.futures
import time

import support

JOBS = 10_000
# Jobs that repeat every second, so as many fires a second.
BEATS = 100
ROUNDS = 3

OBSERVE = """
window.measured = { longTasks: [], firstPaint: null, firstRows: null };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) measured.longTasks.push([Math.round(entry.startTime), entry.duration]);
}).observe({ type: 'longtask', buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name === 'first-contentful-paint') measured.firstPaint = entry.startTime;
}).observe({ type: 'paint', buffered: true });
(function look() {
  const row = document.querySelector('.row[data-id] .name');
  // In the frame after the one that made them, they have been painted.
  if (row?.textContent) requestAnimationFrame(() => (measured.firstRows = performance.now()));
  else requestAnimationFrame(look);
})();
"""


class LoadTest(support.BrowserTest):
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

    def setUp(self) -> None:
        super().setUp()
        self.context.add_init_script(OBSERVE)

    def load(self) -> dict:
        self.page.goto(self.daemon.url)
        support.wait_for("all jobs", lambda: self.page.locator("#jobs-status").text_content() == f"{JOBS:,} jobs")
        return self.page.evaluate("measured")

    def test_first_paint(self) -> None:
        """Ten thousand jobs: the first rows are there within a second, and no task is longer than 100 ms until all are."""
        rounds = [self.load() for _ in range(ROUNDS)]
        longest = [max((duration for _, duration in one["longTasks"]), default=0) for one in rounds]
        for one, task in zip(rounds, longest):
            print(f"first paint {one['firstPaint']:.0f} ms, first rows {one['firstRows']:.0f} ms, longest task {task:.0f} ms")
        self.assertLess(min(one["firstPaint"] for one in rounds), 1000)
        self.assertLess(min(one["firstRows"] for one in rounds), 1000)
        self.assertLess(min(longest), 100)
        # Only what is seen exists, and a screen reader is told of all of it.
        self.assertLess(self.page.locator(".row[data-id]").count(), 40)
        self.assertEqual(self.page.locator("#grid").get_attribute("aria-rowcount"), str(JOBS + 1))

    def test_busy(self) -> None:
        """While a hundred jobs a second fire, no task is longer than 100 ms, also when somebody scrolls."""
        self.load()
        connection = self.daemon.connection()
        beat = {"trigger": {"every": "1s"}, "action": {"notify": "beat"}, "labels": {"load": "beat"}}
        beats = [connection.ask("POST", "/v1/jobs", {"name": f"beat {number}", **beat})["id"] for number in range(BEATS)]
        self.page.mouse.move(400, 600)
        best = None
        for _ in range(ROUNDS):
            runs, frames, longest = self.watch()
            print(f"{runs} runs in {self.SECONDS} s, {frames:.0f} frames a second, longest task {longest:.0f} ms")
            self.assertGreater(runs, BEATS * self.SECONDS * 0.8, "too few runs to say anything")
            best = longest if best is None else min(best, longest)
        self.picture("busy")
        self.assertLess(best, 100)
        for beat in beats:
            connection.ask("DELETE", f"/v1/jobs/{beat}")
        connection.close()

    SECONDS = 6

    def watch(self) -> tuple[int, float, float]:
        before = self.occurrences()
        started = time.monotonic()
        self.page.evaluate(
            """() => {
              measured.longTasks.length = 0;
              measured.frames = 0;
              const end = performance.now() + 6000;
              (function frame() { measured.frames += 1; if (performance.now() < end) requestAnimationFrame(frame); })();
            }""")
        while time.monotonic() - started < self.SECONDS:
            self.page.mouse.wheel(0, 900)
            self.page.wait_for_timeout(250)
        measured = self.page.evaluate("measured")
        longest = max((duration for _, duration in measured["longTasks"]), default=0)
        return self.occurrences() - before, measured["frames"] / self.SECONDS, longest

    def occurrences(self) -> int:
        """How often the beats have fired, as the daemon says."""
        return sum(job["occurrences"] for job in self.daemon.json("list", "--limit", "1000", "--label", "load=beat")["jobs"])


if __name__ == "__main__":
    support.main()
