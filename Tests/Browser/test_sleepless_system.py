"""The panel "System" of Sleepless: what is open, what waits, and what went wrong, whenever the page is opened."""

from __future__ import annotations

import unittest

from playwright.sync_api import expect

from sleepless import SleeplessTest


class WhatIsOpen(SleeplessTest):
    def test_background_tasks_and_waiting_notifications_are_there_when_the_page_is_loaded_again(self):
        self.start("completion")
        self.panel.get_by_role("button", name="Start computing").click()
        self.phone.post("/app/countdown/start", {"seconds": 86_000})
        # The page gets the last 500 lines of the log; what is open was begun earlier.
        begun = self.phone.log()[-1]["n"]
        while self.phone.log()[-1]["n"] < begun + 520:
            for _ in range(20):
                self.phone.post("/device/home")
                self.phone.post("/device/open")
        self.page.reload()
        tasks = self.page.get_by_role("list", name="Open background tasks")
        expect(tasks).to_contain_text("fibonacci")
        expect(tasks).to_contain_text("since 09:41:00")
        expect(self.page.locator(".system").get_by_role("list", name="Notifications", exact=True)).to_contain_text("Time is up")
        expect(self.page.locator(".system")).to_contain_text("due Fri, 2 Jan 2026, 09:34")
        device = self.phone.screen()["device"]
        self.assertEqual([task["name"] for task in device["backgroundTasks"]], ["fibonacci"])
        self.assertEqual([one["due"] for one in device["pendingNotifications"]], ["2026-01-02T09:34:20.000Z"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
