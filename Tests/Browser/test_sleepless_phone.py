"""The phone of Sleepless, its controls and its log, the HTTP interface, and how the page looks and is used."""

from __future__ import annotations

import shutil
import signal
import tempfile
import unittest

from playwright.sync_api import expect

from sleepless import SIZES, TABS, Sleepless, SleeplessTest
from support import ROOT, BrowserTest


class PhoneStory(SleeplessTest):
    def test_memory_pressure_ends_the_suspended_app_and_opening_starts_another_process(self):
        self.open_app()
        self.go_home()
        self.advance(5)
        self.process_is("suspended")
        self.press("Memory pressure")
        self.process_is("none")
        self.press("Switcher")
        expect(self.page.locator(".card-note")).to_have_text("Not running: tap to launch it anew")
        self.page.get_by_role("button", name="Open Sleepless from the switcher").click()
        expect(self.page.locator(".launch")).to_be_visible()
        expect(self.page.locator(".launch")).to_be_hidden()
        self.process_is("active")
        expect(self.page.locator(".system")).to_contain_text("process 2")

    def test_swiping_away_takes_the_app_out_of_the_switcher(self):
        self.open_app()
        self.press("Switcher")
        card = self.page.get_by_role("button", name="Open Sleepless from the switcher")
        expect(card).to_be_visible()
        self.page.wait_for_timeout(400)
        box = card.bounding_box()
        self.page.mouse.move(box["x"] + 60, box["y"] + 250)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + 60, box["y"] + 80, steps=6)
        self.page.mouse.up()
        expect(self.page.locator(".screen")).to_contain_text("No app in the switcher")
        self.process_is("none")

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

    def test_time_goes_on_by_itself_pauses_and_jumps(self):
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
        self.page.get_by_role("searchbox", name="Filter the log").fill("phase act")
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


class Interface(unittest.TestCase):
    """What a script sees."""

    @classmethod
    def setUpClass(cls):
        cls.phone = Sleepless()
        cls.addClassCleanup(cls.phone.stop)

    def setUp(self):
        self.phone.post("/device/reset")

    def test_home_advance_and_log(self):
        phone = self.phone
        after = phone.log()[-1]["n"]
        phone.post("/device/open")
        self.assertEqual(phone.post("/device/home")["device"]["process"], "background")
        self.assertEqual(phone.post("/device/advance", {"seconds": 40})["device"]["process"], "suspended")
        page = phone.request("GET", f"/device/log?after={after}").json
        self.assertEqual(page["events"][0]["n"], after + 1)
        self.assertEqual(page["next"], page["events"][-1]["n"])
        self.assertIn("phase suspended", [event["text"] for event in page["events"]])
        self.assertEqual(set(page["events"][0]), {"n", "at", "uptime", "actor", "kind", "text"})

    def test_a_tap_needs_the_app_in_front(self):
        answer = self.phone.request("POST", "/app/timer/go", {"delay": 3, "repeat": None})
        self.assertEqual((answer.status, answer.json["error"]["code"]), (409, "notInFront"))

    def test_what_cannot_be_read_is_refused_with_a_reason(self):
        self.phone.post("/device/open")
        for raw in (b"{", b"[1]", b'"x"', b"\xff"):
            answer = self.phone.request("POST", "/app/timer/go", raw=raw)
            self.assertEqual(answer.status, 400, raw)
            self.assertTrue(answer.json["error"]["message"], raw)
        for path, body in (
            ("/app/timer/go", {"delay": "soon"}),
            ("/app/tab", {"tab": "other"}),
            ("/device/battery", {"level": 2}),
            ("/device/speed", {"speed": -1}),
            ("/device/network", {}),
        ):
            answer = self.phone.request("POST", path, body)
            self.assertEqual((answer.status, answer.json["error"]["code"]), (400, "invalid"), path)

    def test_what_is_not_there_and_what_is_too_much(self):
        self.assertEqual(self.phone.request("POST", "/device/fly", {}).status, 404)
        self.assertEqual(self.phone.request("GET", "/assets/none.js").status, 404)
        self.assertEqual(self.phone.request("GET", "/tracks/none.wav").status, 404)
        self.assertEqual(self.phone.request("POST", "/device/home", raw=b" " * 70_000).status, 413)

    def test_others_are_refused(self):
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Host": "evil.example"},
            {"Sec_Fetch_Site": "cross-site"},
        ):
            answer = self.phone.request("POST", "/device/home", {}, **headers)
            self.assertEqual(answer.status, 403, headers)
        self.assertEqual(self.phone.request("GET", "/screen", Host="evil.example").status, 403)
        self.assertEqual(self.phone.request("POST", "/device/home", {}, Origin=self.phone.origin).status, 200)


class Looks(SleeplessTest):
    def look_at_everything(self, check):
        """Calls `check` with the name of each thing that the page shows."""
        check("home")
        self.phone.post("/device/open")
        self.is_showing("app")
        expect(self.page.locator(".launch")).to_be_hidden()
        self.fill()
        for tab in TABS:
            self.show(tab)
            check(tab)
        self.phone.post("/device/home")
        self.phone.post("/device/advance", {"seconds": 40})
        self.phone.post("/device/switcher")
        self.is_showing("switcher")
        check("switcher")
        self.phone.post("/device/lock")
        self.is_showing("lock")
        check("lock")
        for panel in ("System", "Log"):
            tab = self.page.get_by_role("tab", name=panel, exact=True)
            if tab.is_visible():
                tab.click()
                check(panel.lower())
        self.phone.post("/device/reset")
        self.is_showing("home")

    def fill(self):
        """Something on each screen."""
        taps = [
            ("timer/go", {"delay": 3, "repeat": None}), ("timer/go", {"delay": 5, "repeat": 8}), ("timer/go", {"delay": 60, "repeat": None}),
            ("todo/add", {"title": "Milk"}), ("todo/add", {"title": "Write to the landlord about the window that does not close"}),
            ("todo/add", {"title": "Feed the cat"}), ("countdown/start", {"seconds": 400}), ("audio/play", {}), ("completion/start", {}),
            ("refresh/schedule", {"kind": "refresh", "earliest": 900}),
            ("refresh/schedule", {"kind": "processing", "earliest": 0, "network": True, "power": True}),
        ]
        for action, body in taps:
            self.phone.post(f"/app/{action}", body)
        self.phone.post("/device/location-answer", {"authorization": "always"})
        self.phone.post("/app/location/authorize", {"wish": "always"})
        self.phone.post("/app/location/start", {"inBackground": True})
        self.phone.post("/device/advance", {"seconds": 70})
        self.phone.post("/device/home")
        self.phone.post("/device/advance", {"seconds": 45})
        self.phone.post("/device/open")
        self.phone.post("/device/advance", {"seconds": 30})
        self.phone.post("/app/todo/complete", {"id": 1})
        self.is_showing("app")

    def test_fits_and_every_control_has_a_name(self):
        for width in (360, *SIZES):
            self.page.set_viewport_size({"width": width, "height": SIZES.get(width, 740)})

            def check(name):
                with self.subTest(width=width, name=name):
                    self.assert_fits()
                    self.assert_controls_have_names()

            self.look_at_everything(check)

    def test_has_its_picture_taken(self):
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for width, height in SIZES.items():
                self.page.set_viewport_size({"width": width, "height": height})
                self.look_at_everything(lambda name: self.picture(f"sleepless-{name}-{width}-{scheme}", full_page=width < 1180))

    def test_the_tab_bar_is_used_with_arrows(self):
        self.open_app()
        self.page.get_by_role("tab", name="Timer", exact=True).focus()
        self.page.keyboard.press("ArrowRight")
        expect(self.app).to_have_attribute("data-tab", "countdown")
        expect(self.page.get_by_role("tab", name="Countdown", exact=True)).to_be_focused()
        self.page.keyboard.press("End")
        expect(self.app).to_have_attribute("data-tab", "refresh")
        self.page.keyboard.press("ArrowRight")
        expect(self.app).to_have_attribute("data-tab", "timer")

    def test_a_timer_is_set_with_the_keyboard_alone(self):
        self.page.locator("#phone").focus()
        self.page.keyboard.press("Tab")
        expect(self.page.get_by_role("button", name="Open Sleepless", exact=True)).to_be_focused()
        self.page.keyboard.press("Enter")
        self.is_showing("app")
        self.panel.get_by_label("Delay").focus()
        self.page.keyboard.press("Enter")
        expect(self.panel.get_by_role("list", name="Waiting timers").get_by_role("listitem")).to_have_count(1)

    def test_comes_from_this_server_alone_and_is_small(self):
        seen = []
        self.page.on("request", lambda request: seen.append(request.url))
        self.page.reload()
        expect(self.page.locator("#connection")).to_have_text("Connected")
        self.assertTrue(seen and all(url.startswith(self.phone.origin) for url in seen))
        web = ROOT / "Examples/Sleepless/Web"
        self.assertLess(sum(file.stat().st_size for file in web.iterdir()), 200_000)
        for file in web.iterdir():
            self.assertLess(len(file.read_text().splitlines()), 400, file.name)


class OnLinux(BrowserTest):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="sleepless-")
        self.addCleanup(shutil.rmtree, self.home, True)
        # No bus: a notification of a test must not appear on somebody's desktop.
        silent = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
        self.host = Sleepless("--host", "linux", "--home", self.home, environment=silent)
        self.addCleanup(self.host.stop)
        super().setUp()

    def test_wants_the_token(self):
        self.assertIn("token=", self.host.url)
        self.assertIn(self.host.request("GET", "/screen").status, (401, 403))

    def test_the_app_is_in_a_plain_frame_with_the_host_beside_it(self):
        self.page.goto(self.host.url)
        expect(self.page.locator("#connection")).to_have_text("Connected")
        expect(self.page.locator(".plain .app")).to_be_visible()
        expect(self.page.get_by_role("button", name="Home", exact=True)).to_have_count(0)
        system = self.page.locator(".system")
        expect(system).to_contain_text("active")
        expect(system).to_contain_text("Conditions of this machine")
        panel = self.page.locator(".app").get_by_role("tabpanel")
        panel.get_by_label("Delay").fill("1")
        panel.get_by_role("button", name="Go").click()
        expect(panel).to_contain_text("Timer 1 fired")
        self.assert_fits()
        self.assert_controls_have_names()
        self.picture("sleepless-linux")

    def test_is_asked_to_stop_and_waits_for_what_is_due(self):
        self.expect_trouble("net::ERR_")
        self.page.goto(self.host.url)
        panel = self.page.locator(".app").get_by_role("tabpanel")
        panel.get_by_label("Delay").fill("4")
        panel.get_by_role("button", name="Go").click()
        expect(panel).to_contain_text("waiting, tap to cancel")
        self.host.server.process.send_signal(signal.SIGTERM)
        system = self.page.locator(".system")
        expect(system).to_contain_text("background")
        expect(system.locator(".budget-text")).to_contain_text("s left")
        self.picture("sleepless-linux-stopping")
        expect(self.page.locator("#connection")).to_have_text("Connection lost, trying again")
        self.assertEqual(self.host.server.process.wait(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
