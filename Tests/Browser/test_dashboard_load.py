"""The dashboard with many jobs: it makes only what is seen. Run: python3 Tests/Browser/test_dashboard_load.py

What is asserted are counts, which do not depend on the machine. How long it takes, `make bench-dashboard` measures.
"""

from __future__ import annotations

import many_jobs
import support

# More than fit a window of this height, and the rows beside them that scrolling shows first.
ROWS = 40

OBSERVE = """
window.counted = { pages: new Set(), pagesAtFirstRows: null, rows: 0 };
const fetchOfPage = window.fetch;
window.fetch = (...all) => {
  if (/v1\\/jobs\\?/.test(String(all[0]?.url ?? all[0]))) counted.pages.add(String(all[0]?.url ?? all[0]));
  return fetchOfPage(...all);
};
new MutationObserver(() => {
  const rows = document.querySelectorAll('.row[data-id]').length;
  if (rows) counted.pagesAtFirstRows ??= counted.pages.size;
  counted.rows = Math.max(counted.rows, rows);
}).observe(document, { childList: true, subtree: true });
"""


class LoadTest(many_jobs.ManyJobs):
    def setUp(self) -> None:
        super().setUp()
        self.context.add_init_script(OBSERVE)

    def test_first_rows(self) -> None:
        """Ten thousand jobs: the first rows are shown with the first page, and never more than are seen."""
        self.load()
        # The ended jobs are asked for after the open ones are shown.
        ended = self.page.locator("[data-filter=ended] .count")
        support.wait_for("the ended jobs", lambda: ended.text_content() != "")
        counted = self.page.evaluate("({ ...counted, pages: counted.pages.size })")
        # The first page of 200, and the others of 1,000; then those that failed, open and ended, and the newest that ended.
        self.assertEqual(counted["pages"], 1 + 10 + 2 + 1)
        # The second is asked for in the same step that shows the first.
        self.assertEqual(counted["pagesAtFirstRows"], 2)
        self.assertLess(counted["rows"], ROWS)
        # A screen reader learns of all of them.
        self.assertEqual(self.page.locator("#grid").get_attribute("aria-rowcount"), str(many_jobs.JOBS + 1))

    def test_busy(self) -> None:
        """While a hundred jobs a second run and the list is scrolled, no more rows exist than are seen."""
        self.load()
        self.start_beats()
        runs = self.scroll()
        self.picture("dashboard-busy")
        self.assertGreater(runs, many_jobs.BEATS * many_jobs.SECONDS * 0.8, "too few runs to say anything")
        self.assertLess(self.page.evaluate("counted.rows"), ROWS)


if __name__ == "__main__":
    support.main()
