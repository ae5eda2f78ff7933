"""The phone of Sleepless, its controls and its log."""

from __future__ import annotations

import unittest

from playwright.sync_api import expect

from sleepless import Sleepless, SleeplessTest


class PhoneStory(SleeplessTest):
    def test_memory_pressure_ends_the_suspended_app_and_opening_starts_another_process(self):
        self.open_app()
        self.go_home()
        self.advance(5)
        self.process_is("suspended")
        self.press("Memory pressure")
        self.process_is("none")
        self.press("Switcher")
        expect(self.page.locator(".card-note")).to_have_text("Not running: tap to launch it again")
        self.page.get_by_role("button", name="Open Sleepless from the switcher").click()
        expect(self.page.locator(".launch")).to_be_visible()
        expect(self.page.locator(".launch")).to_be_hidden()
        self.process_is("active")
        expect(self.page.locator(".system")).to_contain_text("process 2")

    def test_swiping_away_takes_the_app_out_of_the_switcher(self):
        self.open_app()
        self.press("Switcher")
        card = self.page.get_by_role("button", name="Open Sleepless from the switcher")
        card.hover(position={"x": 60, "y": 250})
        box = card.bounding_box()
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + 60, box["y"] + 80, steps=6)
        self.page.mouse.up()
        self.process_is("none")
        self.assertFalse(self.phone.screen()["device"]["isInSwitcher"])
        self.press("Switcher")
        expect(self.page.get_by_text("No app in the switcher")).to_be_visible()
        expect(card).to_be_hidden()

    def test_swiping_away_with_the_keyboard_and_escape_goes_home(self):
        self.open_app()
        self.press("Switcher")
        self.page.get_by_role("button", name="Open Sleepless from the switcher").focus()
        self.page.keyboard.press("Escape")
        self.is_showing("home")
        self.press("Switcher")
        self.page.get_by_role("button", name="Open Sleepless from the switcher").focus()
        self.page.keyboard.press("Delete")
        self.process_is("none")

    def test_a_call_makes_the_app_inactive(self):
        self.open_app()
        self.press("Call")
        self.process_is("inactive")
        expect(self.page.locator(".call")).to_be_visible()
        self.page.locator(".call").get_by_role("button", name="End call").click()
        self.process_is("active")

    def test_locks_and_unlocks_where_it_was(self):
        self.open_app()
        self.press("Lock")
        self.is_showing("lock")
        self.press("Unlock the phone")
        expect(self.page.locator(".screen")).not_to_have_attribute("data-showing", "lock")

    def test_a_reboot_ends_the_process(self):
        self.open_app()
        self.press("Reboot")
        self.process_is("none")
        self.assertEqual(self.phone.screen()["device"]["boot"], 2)

    def test_a_new_phone_knows_nothing_of_the_old_one(self):
        self.start("todo")
        self.phone.post("/app/todo/add", {"title": "Milk"})
        self.advance(100)
        self.press("A new phone")
        self.is_showing("home")
        expect(self.page.locator(".now-time")).to_have_text("09:41:00")
        expect(self.page.locator(".log-line")).to_have_count(2)
        self.start("todo")
        expect(self.panel).to_contain_text("Nothing to do")

    def test_conditions_are_set_and_shown(self):
        self.page.get_by_role("slider", name="Battery").fill("15")
        expect(self.page.get_by_role("img", name="battery 15 %")).to_be_visible()
        self.page.get_by_role("switch", name="Low-power mode").check()
        expect(self.page.get_by_role("img", name="battery 15 %, low-power mode")).to_be_visible()
        self.page.get_by_role("switch", name="Charger").check()
        expect(self.page.get_by_role("img", name="battery 15 %, charging")).to_be_visible()
        self.page.get_by_role("switch", name="Background refresh").uncheck()
        self.page.get_by_role("radio", name="None").check()
        expect(self.page.get_by_role("img", name="no network")).to_be_visible()
        self.page.get_by_role("radio", name="Serious").check()
        self.eventually("the heat", lambda: self.phone.screen()["device"]["thermal"] == "serious")
        device = self.phone.screen()["device"]
        self.assertEqual(
            [device[name] for name in ("battery", "isLowPower", "isCharging", "backgroundRefresh", "network")],
            [0.15, True, True, False, "none"],
        )

    def test_the_clock_can_be_set_and_the_phone_can_sleep(self):
        self.press("Set the clock: +1 h")
        expect(self.page.locator(".now-time")).to_have_text("10:41:00")
        before = self.phone.log()[-1]["uptime"]
        self.press("The phone sleeps: 10 min")
        expect(self.page.locator(".now-time")).to_have_text("10:51:00")
        self.assertEqual(self.phone.log()[-1]["uptime"], before)

    def test_time_advances_by_itself_pauses_and_jumps(self):
        self.start("timer")
        self.phone.post("/app/timer/go", {"delay": 1000, "repeat": None})
        self.press("Speed ×60")
        self.eventually("time", lambda: self.phone.screen()["device"]["now"] > "2026-01-01T09:41:30")
        self.press("Pause the time")
        self.eventually("a pause", lambda: self.phone.screen()["device"]["speed"] == 0)
        now = self.phone.screen()["device"]["now"]
        self.page.wait_for_timeout(300)
        self.assertEqual(self.phone.screen()["device"]["now"], now)
        for _ in range(5):
            with self.page.expect_response("**/device/next-event"):
                self.press("Next event")
        self.assertGreater(self.phone.screen()["device"]["now"], now)

    def test_without_motion_the_phone_does_not_shake(self):
        self.page.emulate_media(reduced_motion="reduce")
        self.start("timer")
        self.phone.post("/app/timer/go", {"delay": 1, "repeat": None})
        self.advance(2)
        expect(self.panel).to_contain_text("1 vibration")
        self.assertEqual(self.page.evaluate("shakes"), 0)


class LogStory(SleeplessTest):
    def lines(self):
        return self.page.locator(".log-line")

    def test_is_filtered_by_actor_and_by_words(self):
        self.open_app()
        expect(self.page.locator(".log-line.by-user").first).to_be_visible()
        self.press("Show what the user did")
        expect(self.page.locator(".log-line.by-user")).to_have_count(0)
        expect(self.page.locator(".log-line.by-system").first).to_be_visible()
        self.page.get_by_role("searchbox", name="Filter the log").fill("launched: icon")
        expect(self.lines()).to_have_count(1)
        self.page.get_by_role("searchbox", name="Filter the log").fill("nothing of that kind")
        expect(self.page.locator(".log")).to_contain_text("No event matches.")

    def test_follows_the_end_unless_one_has_scrolled_up(self):
        self.open_app()
        for _ in range(12):
            self.phone.post("/device/home")
            self.phone.post("/device/open")
        scroller = self.page.get_by_role("region", name="Events")
        at_end = "(e) => e.scrollHeight - e.scrollTop - e.clientHeight < 24"
        self.eventually("the end", lambda: self.lines().count() > 60 and scroller.evaluate(at_end))
        scroller.hover()
        self.page.mouse.wheel(0, -400)
        expect(self.page.get_by_role("button", name="To the newest")).to_be_visible()
        top = self.eventually("rest", lambda: scroller.evaluate("(e) => e.scrollTop"))
        count = self.lines().count()
        self.press("Home")
        self.eventually("more lines", lambda: self.lines().count() > count)
        self.assertEqual(scroller.evaluate("(e) => e.scrollTop"), top)
        self.press("To the newest")
        self.eventually("the end", lambda: scroller.evaluate(at_end))

    def test_is_copied_as_text(self):
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.open_app()
        self.press("Copy the log as text")
        text = self.eventually("the text", lambda: self.page.evaluate("navigator.clipboard.readText()"))
        self.assertIn("2026-01-01T09:41:00.000Z system phase active", text)

    def test_is_the_same_when_the_page_is_loaded_again(self):
        self.open_app()
        self.go_home()
        self.advance(5)
        expect(self.page.locator(".log")).to_contain_text("phase suspended")
        before = self.lines().all_inner_texts()
        self.page.reload()
        self.eventually("the log", lambda: self.lines().all_inner_texts() == before)
        self.process_is("suspended")

    def test_the_page_says_that_the_server_is_gone_and_finds_it_again(self):
        self.expect_trouble("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "request failed: GET .*/events", "ERR_")
        self.phone.kill()
        expect(self.page.locator("#connection")).to_have_text("Connection lost, trying again")
        self.press("Home")
        expect(self.page.locator(".stage").get_by_role("alert")).to_have_text("The server does not answer.")
        self.phone = Sleepless(port=self.phone.port)
        expect(self.page.locator("#connection")).to_have_text("Connected")
        self.open_app()
        self.process_is("active")


if __name__ == "__main__":
    unittest.main(verbosity=2)
