"""How long the dashboard's page takes with ten thousand jobs: `make bench-dashboard`. It asserts nothing.

A task of the page's main thread is measured in processor time, which other programs do not lengthen, and by the clock.
What is aimed at: the first rows within a second, and no task over 100 ms.
"""

from __future__ import annotations

import json

import many_jobs
import support
from playwright.sync_api import Page

ROUNDS = 5

OBSERVE = """
window.measured = { longTasks: [], firstPaint: null, firstRows: null, frames: 0 };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) measured.longTasks.push(entry.duration);
}).observe({ type: 'longtask', buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name === 'first-contentful-paint') measured.firstPaint = entry.startTime;
}).observe({ type: 'paint', buffered: true });
(function look() {
  const row = document.querySelector('.row[data-id] .name');
  // The rows are painted in the frame after their creation.
  if (row?.textContent) requestAnimationFrame(() => (measured.firstRows = performance.now()));
  else requestAnimationFrame(look);
})();
"""

COUNT_FRAMES = """() => {
  measured.longTasks.length = 0;
  (function frame() { measured.frames += 1; requestAnimationFrame(frame); })();
}"""


class Tasks:
    """The longest task of the page's main thread meanwhile, in milliseconds of processor time."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.longest = 0.0

    def __enter__(self) -> Tasks:
        categories = ["__metadata", "toplevel", "disabled-by-default-devtools.timeline"]
        support.OneBrowser.get().start_tracing(page=self.page, categories=categories)
        return self

    def __exit__(self, *_: object) -> None:
        events = json.loads(support.OneBrowser.get().stop_tracing())["traceEvents"]
        mains = {(one["pid"], one["tid"]) for one in events if one.get("name") == "thread_name" and one["args"]["name"] == "CrRendererMain"}
        tasks = [one["tdur"] / 1000 for one in events if one.get("name") == "RunTask" and (one["pid"], one["tid"]) in mains and "tdur" in one]
        assert tasks, "the trace has no tasks"
        self.longest = max(tasks)

    def words(self, measured: dict) -> str:
        clock = max(measured["longTasks"], default=0)
        return f"longest task {self.longest:.0f} ms of processor time ({f'{clock:.0f} ms' if clock else 'under 50 ms'} by the clock)"


class Dashboard(many_jobs.ManyJobs):
    def setUp(self) -> None:
        super().setUp()
        self.context.add_init_script(OBSERVE)

    def test_loading(self) -> None:
        for _ in range(ROUNDS):
            with Tasks(self.page) as tasks:
                self.load()
            measured = self.page.evaluate("measured")
            paint, rows = measured["firstPaint"], measured["firstRows"]
            print(f"loading {many_jobs.JOBS:,} jobs: first paint {paint:.0f} ms, first rows {rows:.0f} ms, {tasks.words(measured)}")

    def test_busy(self) -> None:
        self.load()
        self.start_beats()
        with Tasks(self.page) as tasks:
            self.page.evaluate(COUNT_FRAMES)
            runs = self.scroll()
        measured = self.page.evaluate("measured")
        frames = measured["frames"] / many_jobs.SECONDS
        print(f"scrolling while {runs / many_jobs.SECONDS:.0f} jobs run a second: {frames:.0f} frames a second, {tasks.words(measured)}")


if __name__ == "__main__":
    support.main()
