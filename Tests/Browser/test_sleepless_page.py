"""The HTTP interface of Sleepless, how its page looks and is used, and the app on a Linux host."""

from __future__ import annotations

import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

from playwright.sync_api import expect

from sleepless import BINARY, SIZES, TABS, Sleepless, SleeplessTest
from support import ROOT, BrowserTest


# Texts with a contrast of less than 4.5 to 1 (3 to 1 for large ones) to the nearest plain background beneath them.
# What stands on a picture, what is disabled and what is not in sight is left out.
FAINT_TEXT = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const numbers = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((n) => n / 255).map((n) => (n <= 0.03928 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let up = element; up; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.backgroundImage !== 'none') return null;
      const colour = numbers(style.backgroundColor);
      if (colour[3] > 230) return colour;
      if (up.matches('.layer, .statusbar')) return null;
    }
    return numbers(getComputedStyle(document.body).backgroundColor);
  };
  const faint = [];
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('[inert], :disabled, .unseen, .skip, svg, option')) continue;
    const style = getComputedStyle(element);
    const back = ground(element);
    if (!back) continue;
    const [one, other] = [light(numbers(style.color).slice(0, 3)), light(back.slice(0, 3))].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    const isLarge = parseFloat(style.fontSize) >= 24;
    if (contrast < (isLarge ? 3 : 4.5)) faint.push(`${element.className || element.tagName} “${element.textContent.trim().slice(0, 30)}” ${contrast.toFixed(2)}`);
  }
  return [...new Set(faint)].slice(0, 8);
}"""


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
            ("/app/timer/go", {"delay": 3, "repaet": 5}),
            ("/device/home", {"now": True}),
            ("/app/countdown/start", {"at": "tomorrow"}),
        ):
            answer = self.phone.request("POST", path, body)
            self.assertEqual((answer.status, answer.json["error"]["code"]), (400, "invalid"), path)

    def test_what_is_not_there_and_what_is_too_much(self):
        self.assertEqual(self.phone.request("POST", "/device/fly", {}).status, 404)
        self.assertEqual(self.phone.request("GET", "/device/log?afer=3").status, 400)
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
        # Anew: while sound plays, the system asks for no end of a background task.
        self.phone.post("/device/reset")
        self.phone.make_fault()
        expect(self.page.locator(".log-line.fault")).to_have_count(1)
        check("fault")
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
                    if width >= 1180:
                        # The columns scroll, each by itself.
                        self.assertEqual(self.page.evaluate("document.documentElement.scrollHeight - innerHeight"), 0)
                    self.assert_controls_have_names()

            self.look_at_everything(check)

    def test_text_is_readable_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            self.look_at_everything(
                lambda name: self.assertEqual(self.page.evaluate(FAINT_TEXT), [], f"hard to read: {name}, {scheme}")
            )

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
        expect(self.app).to_have_attribute("data-tab", "lessons")
        self.page.keyboard.press("ArrowRight")
        expect(self.app).to_have_attribute("data-tab", "timer")

    def test_a_timer_is_set_with_the_keyboard_alone(self):
        self.page.locator("#phone").focus()
        self.page.keyboard.press("Tab")
        expect(self.page.get_by_role("button", name="Open Sleepless", exact=True)).to_be_focused()
        self.page.keyboard.press("Enter")
        self.is_showing("app")
        expect(self.page.get_by_role("tab", name="Timer", exact=True)).to_be_focused()
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
        # No bus: a notification of a test must not appear on a desktop.
        silent = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
        self.host = Sleepless("--host", "linux", "--home", self.home, environment=silent)
        # A test may start another in its place.
        self.addCleanup(lambda: self.host.stop())
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
        expect(system).to_contain_text("Active")
        expect(system).to_contain_text("Conditions of this machine")
        expect(system).to_contain_text("None is shown: this session has no bus")
        panel = self.page.locator(".app").get_by_role("tabpanel")
        panel.get_by_label("Delay").fill("1")
        panel.get_by_role("button", name="Go").click()
        expect(panel).to_contain_text("Timer 1 fired")
        self.assert_fits()
        self.assert_controls_have_names()
        self.picture("sleepless-linux")

    def test_says_that_this_host_has_no_sound_and_no_positions(self):
        self.page.goto(self.host.url)
        app = self.page.locator(".app")
        for tab, what in (("audio", "sound"), ("location", "positions")):
            self.page.get_by_role("tab", name=TABS[tab], exact=True).click()
            expect(app).to_have_attribute("data-tab", tab)
            panel = app.get_by_role("tabpanel")
            expect(panel).to_have_text(f"Not available: this host has no {what} of its own.", use_inner_text=True)
            expect(panel.get_by_role("button")).to_have_count(0)

    def start_another(self, home, port):
        return subprocess.run(
            [str(BINARY), "--host", "linux", "--home", home, "--port", str(port)],
            capture_output=True, text=True, timeout=60,
        )

    def test_says_that_its_port_is_taken_and_ends(self):
        port = self.host.port
        home = tempfile.mkdtemp(prefix="sleepless-")
        self.addCleanup(shutil.rmtree, home, True)
        second = self.start_another(home, port)
        self.assertEqual(second.returncode, 64)
        self.assertIn(f"--port {port} is taken", second.stderr)

    def test_a_second_process_cannot_have_its_home(self):
        second = self.start_another(self.home, 0)
        self.assertEqual(second.returncode, 64)
        self.assertIn(self.home, second.stderr)
        self.assertIn(f"belongs to process {self.host.server.process.pid};", second.stderr)
        self.host.kill()
        self.host = Sleepless("--host", "linux", "--home", self.home)

    def test_what_it_keeps_is_for_its_user_only(self):
        token = {"Authorization": f"Bearer {self.host.url.rpartition('=')[2]}"}
        answer = self.host.request("POST", "/app/todo/add", {"title": "Milk"}, **token)
        self.assertEqual(answer.status, 200, answer.text)
        home = pathlib.Path(self.home)
        files = [file for file in home.rglob("*") if file.is_file()]
        self.assertIn("todo.json", [file.name for file in files])
        self.assertEqual({oct(file.stat().st_mode & 0o777) for file in files}, {"0o600"})
        folders = [home, *(folder for folder in home.rglob("*") if folder.is_dir())]
        self.assertEqual({oct(folder.stat().st_mode & 0o777) for folder in folders}, {"0o700"})

    def test_is_asked_to_stop_and_waits_for_what_is_due(self):
        self.expect_trouble("net::ERR_")
        self.page.goto(self.host.url)
        panel = self.page.locator(".app").get_by_role("tabpanel")
        panel.get_by_label("Delay").fill("4")
        panel.get_by_role("button", name="Go").click()
        expect(panel).to_contain_text("waiting, tap to cancel")
        self.host.server.process.send_signal(signal.SIGTERM)
        system = self.page.locator(".system")
        expect(system).to_contain_text("In the background")
        expect(system.locator(".budget-text")).to_contain_text("s left")
        self.picture("sleepless-linux-stopping")
        expect(self.page.locator("#connection")).to_have_text("Connection lost, trying again")
        self.assertEqual(self.host.server.process.wait(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
