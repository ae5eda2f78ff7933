"""Timer, countdown, to-do and audio: from the tap to what comes of it, in front, in the background, after a relaunch."""

from __future__ import annotations

import unittest

from playwright.sync_api import expect

from sleepless import SleeplessTest


class TimerStory(SleeplessTest):
    def go(self, delay: float, repeat: float | None = None) -> None:
        self.panel.get_by_label("Delay").fill(str(delay))
        self.panel.get_by_role("switch", name="Repeat", exact=True).set_checked(repeat is not None)
        if repeat is not None:
            self.panel.get_by_label("Repeat every").fill(str(repeat))
        self.panel.get_by_role("button", name="Go").click()

    @property
    def rows(self):
        return self.panel.get_by_role("list", name="Waiting timers").get_by_role("listitem")

    def test_fires_vibrates_and_its_row_goes(self):
        self.start("timer")
        self.go(3)
        expect(self.rows).to_have_count(1)
        expect(self.rows).to_contain_text("waiting, tap to cancel")
        self.advance(2.5)
        expect(self.rows).to_have_count(1)
        self.assertEqual(self.page.evaluate("shakes"), 0)
        self.advance(0.5)
        expect(self.rows).to_have_count(0)
        expect(self.panel).to_contain_text("Timer 1 fired")
        expect(self.panel).to_contain_text("1 vibration")
        self.eventually("the phone to shake", lambda: self.page.evaluate("shakes") == 1)

    def test_each_tap_adds_a_row_and_a_tap_on_one_cancels_only_that(self):
        self.start("timer")
        for delay in (3, 4, 5):
            self.go(delay)
        expect(self.rows).to_have_count(3)
        self.rows.filter(has_text="After 4 s").get_by_role("button").click()
        expect(self.rows).to_have_count(2)
        expect(self.panel).to_contain_text("Timer 2 cancelled")
        self.advance(10)
        expect(self.rows).to_have_count(0)
        expect(self.panel).to_contain_text("2 vibrations")

    def test_a_repeating_timer_stays_and_counts(self):
        self.start("timer")
        self.go(2, repeat=5)
        self.advance(12)
        expect(self.rows).to_have_count(1)
        expect(self.rows).to_contain_text("fired 3×, tap to cancel")
        self.rows.get_by_role("button").click()
        expect(self.rows).to_have_count(0)
        self.advance(20)
        expect(self.panel).to_contain_text("3 vibrations")

    def test_keeps_running_in_the_background(self):
        self.start("timer")
        self.go(10)
        self.go_home()
        self.process_is("background")
        self.advance(9)
        self.process_is("background")
        self.assertEqual(self.page.evaluate("shakes"), 0)
        self.advance(1)
        self.eventually("the phone to shake in the pocket", lambda: self.page.evaluate("shakes") == 1)
        self.advance(5)
        self.process_is("suspended")
        self.open_app()
        expect(self.rows).to_have_count(0)
        expect(self.panel).to_contain_text("Timer 1 fired")

    def test_what_comes_too_late_for_the_background_runs_when_the_app_is_back(self):
        self.start("timer")
        self.go(100)
        self.go_home()
        self.advance(200)
        self.process_is("suspended")
        self.assertEqual(self.page.evaluate("shakes"), 0)
        self.open_app()
        expect(self.panel).to_contain_text("Timer 1 too late for the background")
        expect(self.panel).to_contain_text("Timer 1 fired")
        expect(self.rows).to_have_count(0)

    def test_a_delay_that_is_refused_is_explained_beside_the_field(self):
        self.expect_trouble(r"400.*timer/go", "console: Failed to load resource.*400")
        self.start("timer")
        self.go(-1)
        expect(self.panel.get_by_role("alert")).to_contain_text("delay")
        self.go(1)
        expect(self.panel.get_by_role("alert")).to_have_count(0)


class CountdownStory(SleeplessTest):
    def begin(self, minutes: int, seconds: int = 0) -> None:
        self.panel.get_by_label("Minutes").fill(str(minutes))
        self.panel.get_by_label("Seconds").fill(str(seconds))
        self.panel.get_by_role("button", name="Start").click()
        expect(self.panel.get_by_role("button", name="Pause")).to_be_visible()

    @property
    def ring(self):
        return self.panel.get_by_role("timer")

    def test_counts_down_pauses_resumes_and_is_extended(self):
        self.start("countdown")
        self.begin(5)
        self.advance(60)
        expect(self.ring).to_have_text("4:00")
        self.panel.get_by_role("button", name="Pause").click()
        self.advance(60)
        expect(self.ring).to_have_text("4:00")
        expect(self.panel).to_contain_text("paused")
        self.panel.get_by_role("button", name="Resume").click()
        self.panel.get_by_role("button", name="+1 min").click()
        self.advance(30)
        expect(self.ring).to_have_text("4:30")
        self.panel.get_by_role("button", name="Cancel").click()
        expect(self.panel).to_contain_text("nothing runs")

    def test_counts_down_to_a_time_of_day(self):
        self.start("countdown")
        self.panel.get_by_role("radio", name="Time of day").check()
        self.panel.get_by_label("Time of day, UTC").fill("09:51:30")
        self.panel.get_by_role("button", name="Start").click()
        expect(self.ring).to_have_text("10:30")
        expect(self.panel).to_contain_text("ends at 09:51:30")

    def test_finishes_while_its_app_is_dead_and_the_lock_screen_shows_it(self):
        self.start("countdown")
        self.begin(5)
        self.advance(60)
        self.go_home()
        self.press("Kill")
        self.process_is("none")
        self.press("Lock")
        self.is_showing("lock")
        self.advance(420)
        notice = self.page.get_by_role("list", name="Notifications", exact=True).get_by_role("button", name="Time is up")
        expect(notice.first).to_be_visible()
        self.picture("sleepless-lock")
        self.page.locator(".lock").get_by_role("button", name="Time is up").click()
        self.is_showing("app")
        expect(self.page.locator(".launch")).to_be_hidden()
        self.show("countdown")
        expect(self.panel).to_contain_text("finished 3 min ago, while you were away")
        self.panel.get_by_role("button", name="Acknowledge").click()
        expect(self.panel).to_contain_text("nothing runs")
        delivered = [event for event in self.phone.log() if event["kind"] == "notificationDelivered"]
        self.assertEqual([event["at"] for event in delivered], ["2026-01-01T09:46:00.000Z"])

    def test_a_banner_comes_down_over_the_home_screen_and_leads_into_the_app(self):
        self.start("countdown")
        self.begin(0, 40)
        self.go_home()
        self.advance(45)
        banner = self.page.get_by_role("list", name="New notifications").get_by_role("button", name="Time is up")
        expect(banner).to_be_visible()
        banner.click()
        self.is_showing("app")
        expect(self.panel).to_contain_text("while you were away")

    def test_continues_when_the_app_is_killed_and_opened_again(self):
        self.start("countdown")
        self.begin(5)
        self.press("Kill")
        self.process_is("none")
        self.advance(60)
        self.open_app()
        self.show("countdown")
        expect(self.ring).to_have_text("4:00")


    def test_the_first_story_is_true_and_stays_hidden(self):
        story = self.page.get_by_role("region", name="Try this first")
        expect(story.get_by_role("listitem")).to_have_count(4)
        self.start("countdown")
        self.begin(1)
        self.press("Lock")
        self.advance(10)
        self.process_is("suspended")
        self.press("Kill")
        self.process_is("none")
        self.advance(40)
        self.press("Open")
        self.is_showing("app")
        self.show("countdown")
        expect(self.ring).to_have_text("0:10")
        story.get_by_role("button", name="Hide").click()
        expect(story).to_have_count(0)
        self.page.reload()
        expect(self.page.locator("#connection")).to_have_text("Connected")
        expect(self.page.locator("#controls-title")).to_be_visible()
        expect(story).to_have_count(0)


class ToDoStory(SleeplessTest):
    def add(self, *titles: str) -> None:
        for title in titles:
            self.panel.get_by_role("textbox", name="New task").fill(title)
            self.page.keyboard.press("Enter")
            expect(self.panel.get_by_role("button", name=f"Complete {title}", exact=True)).to_be_attached()

    def todo(self):
        return self.phone.screen()["app"]["todo"]

    def test_each_task_shows_its_time_and_keeps_it_over_a_relaunch(self):
        self.start("todo")
        self.add("Milk")
        self.advance(5)
        self.add("Bread")
        self.advance(7)
        rows = self.panel.get_by_role("list", name="Tasks").get_by_role("listitem")
        expect(rows.filter(has_text="Milk")).to_contain_text("0:12")
        expect(rows.filter(has_text="Bread")).to_contain_text("0:07")
        self.press("Kill")
        self.advance(60)
        self.open_app()
        self.show("todo")
        expect(rows.filter(has_text="Milk")).to_contain_text("1:12")
        rows.filter(has_text="Milk").get_by_role("button", name="Remove Milk").click()
        expect(rows).to_have_count(1)

    def test_ticks_while_the_list_is_scrolled(self):
        self.start("todo")
        for number in range(16):
            self.phone.post("/app/todo/add", {"title": f"Task {number}"})
        expect(self.panel.get_by_role("button", name="Complete Task 15", exact=True)).to_be_attached()
        self.press("Speed ×1")
        scroller = self.panel.get_by_role("region", name="Tasks, scrollable")
        scroller.hover(position={"x": 60, "y": 80})
        ticks = []
        for step in range(40):
            self.page.mouse.wheel(0, 30 if step % 20 < 10 else -30)
            self.page.wait_for_timeout(60)
            screen = self.phone.screen()
            if screen["device"]["isScrolling"]:
                ticks.append(screen["app"]["todo"]["ticks"])
        self.assertGreater(len(ticks), 10, "the device did not get the scrolling")
        self.assertGreaterEqual(ticks[-1] - ticks[0], 1, "nothing ticked meanwhile")
        self.eventually("the end of the scrolling", lambda: not self.phone.screen()["device"]["isScrolling"])

    def test_the_last_task_stops_the_timer_and_a_balloon_rises_for_three_seconds(self):
        self.start("todo")
        self.add("Milk", "Bread")
        self.advance(3)
        self.panel.get_by_role("button", name="Complete Milk").click()
        expect(self.panel).to_contain_text("1 open, ticking")
        self.page.evaluate(
            """() => {
              window.seen = [];
              new MutationObserver(() => seen.push(Number(document.querySelector('.balloon').dataset.progress)))
                .observe(document.querySelector('.balloon'), { attributes: true, attributeFilter: ['data-progress'] });
            }"""
        )
        self.panel.get_by_role("button", name="Complete Bread").click()
        self.press("Speed ×1")
        expect(self.page.locator(".balloon")).to_be_visible()
        self.page.wait_for_timeout(1200)
        self.picture("sleepless-balloon")
        expect(self.page.locator(".balloon")).to_be_hidden()
        seen = self.page.evaluate("seen")
        self.assertGreater(len(seen), 30)
        self.assertGreater(max(seen), 0.9)
        self.assertFalse(self.todo()["isTicking"])
        ticks = self.todo()["ticks"]
        self.advance(10)
        self.assertEqual(self.todo()["ticks"], ticks)
        expect(self.panel).to_contain_text("All done, the timer stopped")


class AudioStory(SleeplessTest):
    def test_the_next_track_begins_in_the_background_and_the_lock_screen_shows_it(self):
        self.start("audio")
        queue = self.phone.screen()["app"]["audio"]["queue"]
        self.panel.get_by_role("button", name="Play", exact=True).click()
        expect(self.panel.get_by_role("button", name="Pause")).to_be_visible()
        self.advance(10)
        expect(self.panel.locator(".positions")).to_contain_text("0:10")
        self.go_home()
        self.advance(queue[0]["seconds"])
        self.process_is("background")
        self.press("Lock")
        playing = self.page.locator(".lock .playing")
        expect(playing).to_contain_text(queue[1]["title"])
        expect(playing).to_contain_text("Sleepless is playing")
        expect(self.page.get_by_role("img", name="sound plays")).to_be_visible()
        self.picture("sleepless-now-playing")
        self.press("Unlock")
        self.open_app()
        expect(self.panel.locator(".track-title")).to_have_text(queue[1]["title"])
        self.panel.get_by_role("button", name="Next track").click()
        expect(self.panel.locator(".track-title")).to_have_text(queue[2]["title"])
        self.panel.get_by_role("button", name="Pause").click()
        expect(self.panel.get_by_role("button", name="Play", exact=True)).to_be_visible()
        self.go_home()
        self.advance(5)
        self.process_is("suspended")

    def test_is_silent_in_the_browser_until_it_is_asked_for_and_follows_then(self):
        asked = []
        self.page.on("request", lambda request: asked.append(request.url) if "/tracks/" in request.url else None)
        self.start("audio")
        self.panel.get_by_role("button", name="Play", exact=True).click()
        self.press("Speed ×1")
        expect(self.panel.get_by_role("button", name="Pause")).to_be_visible()
        self.page.wait_for_timeout(300)
        self.assertEqual(asked, [])
        with self.page.expect_request("**/tracks/dawn.wav"):
            self.panel.get_by_role("switch", name="Hear it in this browser").check()


if __name__ == "__main__":
    unittest.main(verbosity=2)
