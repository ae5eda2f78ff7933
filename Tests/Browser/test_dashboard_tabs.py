"""Several tabs of one browser share one stream of events. Run: python3 Tests/Browser/test_dashboard_tabs.py"""

from __future__ import annotations

from playwright.sync_api import Page, expect

import support
from dashboard import DashboardTest


class Tabs(DashboardTest):
    def setUp(self) -> None:
        super().setUp()
        self.streams: list[str] = []
        self.context.on("request", lambda request: self.streams.append(request.url) if "/v1/events" in request.url else None)

    def open_tabs(self, count: int) -> list[Page]:
        self.open()
        tabs = [self.page, *(self.new_page(self.context) for _ in range(count - 1))]
        for tab in tabs[1:]:
            tab.goto(self.daemon.origin)
            expect(tab.locator("#daemon-state")).to_have_text("Connected")
        return tabs

    def test_one_stream(self) -> None:
        """Eight tabs have one stream and follow it; when the tab that listens is closed, another one listens."""
        tabs = self.open_tabs(8)
        self.assertEqual(len(self.streams), 1)
        job = self.daemon.submit("after", "1h", "--name", "first", "--", "true")
        for tab in tabs:
            expect(tab.locator(f'.row[data-id="{job}"]')).to_have_count(1)
        tabs[0].close()
        self.page = tabs[1]
        support.wait_for("the next stream", lambda: self.page.evaluate("1") and len(self.streams) == 2)
        for tab in tabs[1:]:
            expect(tab.locator("#daemon-state")).to_have_text("Connected")
        other = self.daemon.submit("after", "2h", "--name", "second", "--", "true")
        for tab in tabs[1:]:
            expect(tab.locator(f'.row[data-id="{other}"]')).to_have_count(1)
        self.assertEqual(len(self.streams), 2)

    def test_sign_out(self) -> None:
        """Signing out in one tab signs out all of them."""
        self.expect_trouble("401")
        self.daemon.submit("after", "1h", "--name", "secret errand", "--", "true")
        tabs = self.open_tabs(2)
        for tab in tabs:
            expect(tab.get_by_text("secret errand").first).to_be_visible()
        tabs[1].get_by_role("button", name="Sign out").click()
        for tab in tabs:
            expect(tab.locator("body")).to_contain_text("This browser does not know the token")
            expect(tab.get_by_text("secret errand")).to_have_count(0)

    def test_without_locks(self) -> None:
        """Where a page cannot lock, because its address is not secure, it has a stream of its own."""
        self.context.add_init_script("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });")
        self.open_tabs(2)
        self.assertEqual(len(self.streams), 2)


if __name__ == "__main__":
    support.main()
