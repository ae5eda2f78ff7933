/** The phone: what it shows, and the hands' ways with it. */

import { button, h, isMotionReduced, setAttribute, setHidden, setText } from "./dom.js";
import { makeApp } from "./app.js";
import { clockText, dayText } from "./clock.js";
import { makeDialogs } from "./dialogs.js";
import { icon } from "./icons.js";
import { makeBanners, makeLock } from "./lock.js";
import { control } from "./server.js";
import { makeStatusBar } from "./statusbar.js";

const launchTime = 700;
const swipeLength = 90;

export function makePhone(stage, announce, error) {
  const act = (name) => () => control(name, {}, error);
  const dialogs = makeDialogs();
  const app = makeApp(dialogs);
  const status = makeStatusBar();
  const lock = makeLock(error);
  const banners = makeBanners(announce, error);

  const homeTime = h("p", { class: "big-time" });
  const homeDay = h("p", { class: "big-day" });
  const homeHint = h("p", { class: "home-hint", text: "Tap the icon to open the app" });
  const homeIcon = h("button", { type: "button", class: "home-icon", "aria-label": "Open Sleepless", on: { click: act("open") } }, h("span", { class: "app-icon" }, icon("app", 40)), h("span", { text: "Sleepless" }));
  const home = h("div", { class: "layer home" }, homeDay, homeTime, homeHint, h("div", { class: "home-icons" }, homeIcon));

  const picture = h("button", { type: "button", class: "card-open", "aria-label": "Open Sleepless from the switcher", on: { click: () => { if (!dragged) control("open", {}, error); } } });
  const cardTitle = h("p", { class: "card-title" }, h("span", { class: "app-mark" }, icon("app", 18)), h("span", { text: "Sleepless" }));
  const cardNote = h("p", { class: "card-note" });
  const away = button("Swipe away", act("swipe"), { class: "button small glass" });
  const none = h("p", { class: "card-none", text: "No app in the switcher" });
  const switcher = h("div", { class: "layer switcher" }, cardTitle, picture, h("div", { class: "card-foot" }, cardNote, away), none);

  const off = h("div", { class: "layer off" }, h("p", { text: "The phone is off" }));
  const call = h("div", { class: "call", hidden: true }, icon("call", 20), h("span", { text: "A call" }), button("End call", act("end-call"), { class: "button small danger" }));
  const indicator = h("button", { type: "button", class: "indicator", on: { click: () => control(isLocked ? "unlock" : "home", {}, error) } }, h("span", {}));
  const screen = h("div", { class: "screen" }, home, app.root, switcher, lock.root, off, status.root, call, banners.root, dialogs.root, indicator);
  const frame = h("div", { class: "phone" }, screen);
  const [title, subtitle] = [h("h2", { class: "unseen", text: "Phone" }), h("p", { class: "unseen", role: "status" })];
  const key = (name, label, action) => h("button", { type: "button", class: "key", on: { click: action } }, icon(name, 20), h("span", { text: label }));
  const lockKey = key("lock", "Lock", () => control(isLocked ? "unlock" : "lock", {}, error));
  const keys = h("div", { class: "keys", role: "group", "aria-label": "Buttons of the phone" },
    key("home", "Home", act("home")), key("switcher", "Switcher", act("switcher")), lockKey);
  stage.append(title, frame, keys, error, subtitle);

  let isLocked = false;
  let dragged = false;
  let phone = null;
  let pid = null;
  let wasDrawn = false;
  let lastProcess = null;
  let felt = null;
  let shake = null;

  swipeToClose();
  screen.addEventListener("keydown", (event) => {
    if (event.key === "Delete" && document.activeElement === picture) control("swipe", {}, error);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && screen.dataset.showing === "switcher") control("home", {}, error);
  });

  /** A shake for all that has run since the last picture; the counts begin anew with each process. */
  function feel(device, timer) {
    if (!timer) return;
    const before = felt?.pid === device.pid && felt.phone === device.phone ? felt.count : 0;
    if (felt && timer.vibrations > before) vibrate();
    felt = { pid: device.pid, phone: device.phone, count: timer.vibrations };
  }

  function vibrate() {
    if (shake?.playState === "running") return;
    if (isMotionReduced()) {
      frame.classList.add("pulse");
      setTimeout(() => frame.classList.remove("pulse"), 400);
      return;
    }
    shake = frame.animate({ transform: [0, -5, 5, -4, 4, -2, 2, 0].map((x) => `translateX(${x}px)`) }, { duration: 420, easing: "ease-out" });
  }

  function swipeToClose() {
    let from = null;
    picture.addEventListener("pointerdown", (event) => {
      [from, dragged] = [event.clientY, false];
      picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener("pointermove", (event) => {
      if (from === null) return;
      const up = Math.max(0, from - event.clientY);
      dragged = up > 8;
      screen.style.setProperty("--swipe", `${-up}px`);
    });
    const drop = (event) => {
      if (from === null) return;
      const up = from - event.clientY;
      from = null;
      screen.style.removeProperty("--swipe");
      if (up > swipeLength) control("swipe", {}, error);
    };
    picture.addEventListener("pointerup", drop);
    picture.addEventListener("pointercancel", () => { from = null; screen.style.removeProperty("--swipe"); });
  }

  /** The short screen between the icon and the app of a new process. */
  function launchScreen() {
    if (isMotionReduced()) return;
    app.launch.hidden = false;
    setAttribute(screen, "data-launching", true);
    setTimeout(() => {
      app.launch.hidden = true;
      setAttribute(screen, "data-launching", null);
    }, launchTime);
  }

  /** Who operates the phone by keyboard stays in it: the focus goes to what is shown now. */
  function keepFocus(showing) {
    const target = { home: homeIcon, app: app.root.querySelector("[role=tab][aria-selected=true]"), switcher: picture, lock: indicator }[showing];
    target?.focus({ preventScroll: true });
  }

  /** A new phone has no picture of the app, and none of its notifications. */
  function replaced() {
    [pid, wasDrawn, lastProcess] = [null, false, null];
    banners.forget();
  }

  function update(snapshot) {
    const { device } = snapshot;
    if (phone !== null && phone !== device.phone) replaced();
    phone = device.phone;
    const isInFront = device.showing === "app";
    isLocked = device.showing === "lock";
    if (screen.dataset.showing !== device.showing) dialogs.close();
    if (isInFront && pid !== null && device.pid !== pid && device.process !== "none") launchScreen();
    if (device.process !== "none") pid = device.pid;
    setAttribute(screen, "data-showing", device.showing);
    setAttribute(screen, "data-process", device.process);
    setAttribute(screen, "data-card", device.isInSwitcher);
    feel(device, snapshot.app?.timer);
    status.update(device, snapshot.app);
    lock.update(device);
    banners.update(device);
    setText(homeTime, clockText(device.now));
    setText(homeDay, dayText(device.now));
    // Without a process, there is no snapshot of the app, and the picture that was drawn last stays.
    const isSeen = isInFront || device.showing === "switcher";
    if (snapshot.app && (isSeen || !wasDrawn)) {
      app.update(snapshot.app, device.now, device.jobs);
      wasDrawn = true;
    }
    setAttribute(screen, "data-drawn", wasDrawn);
    app.follow(device.process === "none" ? null : snapshot.app?.audio, device.speed);
    const hadFocus = screen.contains(document.activeElement);
    app.root.inert = !isInFront || device.process !== "active" || dialogs.isOpen;
    home.inert = device.showing !== "home";
    switcher.inert = device.showing !== "switcher";
    lock.root.inert = !isLocked;
    for (const [layer, name] of [[home, "home"], [switcher, "switcher"], [lock.root, "lock"]]) setAttribute(layer, "aria-hidden", device.showing === name ? null : "true");
    if (hadFocus && document.activeElement.closest("[inert]")) keepFocus(device.showing);
    setText(cardNote, { none: "Not running: tap to launch it again", suspended: "Suspended: this is its last picture" }[device.process] ?? "Running");
    for (const part of [cardTitle, picture, away]) setHidden(part, !device.isInSwitcher);
    setHidden(cardNote, !device.isInSwitcher);
    setHidden(none, device.isInSwitcher);
    setHidden(homeHint, device.pid > 0);
    setHidden(call, !device.isInCall);
    setAttribute(indicator, "aria-label", isLocked ? "Unlock the phone" : "Go to the home screen");
    setText(lockKey.lastElementChild, isLocked ? "Unlock" : "Lock");
    const process = { none: "Sleepless is not running", suspended: "Sleepless is suspended" }[device.process];
    if (process && lastProcess && lastProcess !== device.process) announce(process);
    lastProcess = device.process;
    setText(subtitle, { home: "Home screen", app: "Sleepless is in front", switcher: "App switcher", lock: "Lock screen" }[device.showing] ?? "");
  }

  return { update };
}
