"""Where a fault is seen in Sleepless at each width, and the room that the log has beside the phone."""

from __future__ import annotations

import unittest

from playwright.sync_api import Locator, expect

from sleepless import SIZES, SleeplessTest

# Whether an element is within the window, and nothing lies on it.
IS_SEEN = """(element) => {
  const box = element.getBoundingClientRect();
  if (!box.width || !box.height) return false;
  if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) return false;
  const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return element.contains(top);
}"""

# Whether the texts of two elements lie on each other.
OVERLAP = """([one, other]) => {
  const box = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };
  const [a, b] = [box(one), box(other)];
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""


class FaultsTest(SleeplessTest):
    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.evaluate("scrollTo(0, 0)")
        self.catch_up()

    def assert_seen(self, what: Locator) -> None:
        expect(what).to_be_visible()
        self.assertTrue(what.evaluate(IS_SEEN), f"out of the window, or covered: {what}")

    def assert_apart(self, one: Locator, other: Locator) -> None:
        self.assertFalse(self.page.evaluate(OVERLAP, [one.element_handle(), other.element_handle()]), f"{one} lies on {other}")


class Badge(FaultsTest):
    def test_a_fault_is_in_the_window_at_every_width(self):
        badge = self.page.locator(".fault-badge")
        expect(badge).to_be_hidden()
        self.phone.make_fault()
        faults = self.page.get_by_role("list", name="Faults")
        expect(faults.get_by_role("listitem", include_hidden=True)).to_have_count(1)
        for width, height in {360: 740, **SIZES}.items():
            with self.subTest(width=width):
                self.resize(width, height)
                if width >= 1180:
                    expect(badge).to_be_hidden()
                    self.assert_seen(faults)
                    continue
                self.assert_seen(badge)
                expect(badge).to_have_text("1 fault")
                self.assert_apart(badge, self.page.locator("#connection"))
                self.assert_apart(badge, self.page.locator(".masthead h1"))
                self.assert_fits()

    def test_the_badge_leads_to_the_fault(self):
        self.phone.make_fault()
        for width in (390, 820):
            with self.subTest(width=width):
                self.resize(width, SIZES[width])
                self.page.get_by_role("tab", name="Phone", exact=True).click()
                tab = self.page.get_by_role("tab", name="System", exact=True)
                expect(tab).to_have_text("System1")
                expect(tab).to_have_accessible_description("1 fault")
                self.page.evaluate("scrollTo(0, 0)")
                self.press("1 fault")
                expect(tab).to_have_attribute("aria-selected", "true")
                self.assert_seen(tab.locator(".fault-count"))
                self.assert_seen(self.page.get_by_role("list", name="Faults"))
        self.phone.post("/device/reset")
        expect(self.page.locator(".fault-badge")).to_be_hidden()
        expect(tab.locator(".fault-count")).to_be_hidden()
        expect(tab).to_have_accessible_description("")

    def test_the_badge_has_room_beside_a_lost_connection(self):
        self.expect_trouble("net::ERR_")
        self.phone.make_fault()
        self.resize(360, 740)
        self.phone.kill()
        expect(self.page.locator("#connection")).to_have_text("Connection lost, trying again")
        self.assert_seen(self.page.locator(".fault-badge"))
        self.assert_apart(self.page.locator(".fault-badge"), self.page.locator("#connection"))
        self.assert_fits()

    def test_a_mistake_that_was_made_is_marked_beside_its_text(self):
        self.start("lessons")
        self.phone.post("/app/lessons/mistake", {"kind": "leakedTask"})
        row = self.panel.get_by_role("list", name="Mistakes").get_by_role("listitem").first
        mark = row.locator(".made")
        for width, height in {360: 740, **SIZES}.items():
            with self.subTest(width=width):
                self.resize(width, height)
                expect(mark).to_have_text("made")
                mark.scroll_into_view_if_needed()
                self.assert_seen(mark)
                for text in ("strong", ".row-note"):
                    self.assert_apart(mark, row.locator(text))
                # A mark, and not one more word of the text.
                self.assertNotEqual(*(part.evaluate("(e) => getComputedStyle(e).backgroundColor") for part in (mark, row.locator("strong"))))


class LogRoom(FaultsTest):
    def fill_log(self) -> None:
        """More lines than any window has room for, with a fault at the end."""
        for _ in range(12):
            self.phone.post("/device/open")
            self.phone.post("/device/home")
        self.phone.make_fault()
        expect(self.page.locator(".log-line.fault")).to_have_count(1)

    def test_beside_the_phone_the_log_fills_the_window_and_does_not_lengthen_the_page(self):
        self.fill_log()
        scroller = self.page.locator(".log-scroller")
        for has_story in (True, False):
            for width, height in ((820, 1180), (1024, 768)):
                with self.subTest(width=width, has_story=has_story):
                    self.resize(width, height)
                    self.page.get_by_role("tab", name="Log", exact=True).click()
                    self.assertEqual(self.page.evaluate("document.documentElement.scrollHeight - innerHeight"), 0)
                    self.assertTrue(scroller.evaluate("(e) => e.scrollHeight > e.clientHeight"), "the log is too short for this test")
                    rest = scroller.evaluate("(e) => innerHeight - e.getBoundingClientRect().bottom")
                    self.assertTrue(0 <= rest <= 24, f"{rest} px are left below the log")
                    self.assert_fits()
            if has_story:
                self.press("Hide the first story")

    def test_a_low_window_scrolls_and_leaves_the_log_some_lines(self):
        self.fill_log()
        self.resize(820, 600)
        self.page.get_by_role("tab", name="Log", exact=True).click()
        self.assertGreater(self.page.evaluate("document.documentElement.scrollHeight - innerHeight"), 0)
        self.assertGreaterEqual(self.page.locator(".log-scroller").bounding_box()["height"], 198)

    def test_a_log_that_was_hidden_shows_its_newest_line(self):
        self.resize(390, 844)
        self.fill_log()
        self.page.get_by_role("tab", name="Log", exact=True).click()
        self.page.locator("#panel-tabs").evaluate("(e) => e.scrollIntoView()")
        self.catch_up()
        self.assert_seen(self.page.locator(".log-line").last)
        # Tabs, filters and lines are in the window together.
        self.assert_seen(self.page.locator("#panel-tabs"))
        self.assert_seen(self.page.get_by_label("Filter the log"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
