"""What the tests of the dashboard share."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, expect

import support


class DashboardTest(support.BrowserTest):
    """A test with a daemon and its page."""

    def setUp(self) -> None:
        super().setUp()
        self.daemon = support.Daemon()
        self.addCleanup(self.daemon.end)

    def open(self, path: str = "") -> None:
        self.page.goto(self.daemon.url)
        expect(self.page.locator("#daemon-state")).to_have_text("Connected")
        # The list has been drawn: it is counted with its first page.
        expect(self.page.locator("#jobs-status")).to_have_text(re.compile(r"^\d"))
        if path:
            self.go(path)

    def go(self, path: str) -> None:
        self.page.evaluate("(path) => { location.hash = path; }", path)

    def of_module(self, function: str, module: str) -> Any:
        """What a function of JavaScript gives for one of the page's modules."""
        if self.page.url == "about:blank":
            self.open()
        return self.page.evaluate(f"async () => ({function})(await import('/assets/{module}'))")

    def row(self, job: str) -> Locator:
        return self.page.locator(f'.row[data-id="{job}"]')

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def toast(self, text: str) -> Locator:
        return self.page.locator(".toast").filter(has_text=text).first

    def state(self, job: str) -> str:
        return self.daemon.json("show", job)["state"]

    def wait_for_state(self, job: str, state: str) -> None:
        support.wait_for(f"{job} to be {state}", lambda: self.state(job) == state)

    def wait_for_runs(self, job: str, count: int) -> list[dict]:
        """The runs that have ended, once there are so many."""

        def runs() -> list[dict] | None:
            ended = [run for run in self.daemon.json("history", job, "--limit", "1000")["runs"] if run["finished"]]
            return ended if len(ended) >= count else None

        return support.wait_for(f"{count} runs of {job}", runs)
