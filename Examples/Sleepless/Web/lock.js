/** What the phone shows of notifications and sound when the app is not in front: banners and the lock screen. */

import { h, isMotionReduced, keyed, setAttribute, setHidden, setText } from "./dom.js";
import { clockText, dayText } from "./clock.js";
import { icon } from "./icons.js";
import { control } from "./server.js";

const bannerTime = 6000;

/** A notification: tapping it opens the app. */
export const makeNotice = (error) => (notice) => {
  const when = h("span", { class: "notice-when" });
  const root = h("button", { type: "button", class: "notice", on: { click: () => control("tap-notification", { id: notice.id }, error) } },
    h("span", { class: "app-mark" }, icon("app", 20)),
    h("span", { class: "notice-text" }, h("strong", { text: notice.title }), notice.body ? h("span", { text: notice.body }) : null), when);
  return { root: h("li", {}, root), button: root, when };
};

export function updateNotice(row, notice, now) {
  const minutes = Math.floor((new Date(now) - new Date(notice.at)) / 60_000);
  setText(row.when, minutes < 1 ? "now" : minutes < 60 ? `${minutes} min ago` : minutes < 1440 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} d ago`);
}

export function makeLock(error) {
  const time = h("p", { class: "big-time" });
  const day = h("p", { class: "big-day" });
  const playing = h("div", { class: "notice playing" });
  const playingTitle = h("strong", {});
  const playingState = h("span", {});
  playing.append(h("span", { class: "app-mark" }, icon("audio", 20)), h("span", { class: "notice-text" }, playingTitle, playingState));
  const list = h("ul", { class: "notices", "aria-label": "Notifications" });
  const root = h("div", { class: "layer lock" }, h("span", { class: "lock-mark" }, icon("lock", 18)), day, time, playing, list,
    h("p", { class: "lock-hint", text: "Unlock with the bar below" }));

  function update(device) {
    setText(time, clockText(device.now));
    setText(day, dayText(device.now));
    setHidden(playing, !device.playing);
    setText(playingTitle, device.playing?.title);
    setText(playingState, device.playing?.isPlaying ? "Sleepless is playing" : "Paused");
    keyed(list, device.notifications.slice(0, 6), (notice) => notice.id + notice.at, makeNotice(error), (row, notice) => updateNotice(row, notice, device.now));
  }

  return { root, update };
}

/** A banner for each new notification while the screen is on. */
export function makeBanners(announce, error) {
  const list = h("ul", { class: "banners", "aria-label": "New notifications" });
  let known = null;
  let shown = [];

  function update(device) {
    const keys = new Set(device.notifications.map((notice) => notice.id + notice.at));
    const fresh = known === null ? [] : device.notifications.filter((notice) => !known.has(notice.id + notice.at));
    known = keys;
    for (const notice of fresh) {
      announce(`Notification: ${notice.title}${notice.body ? `, ${notice.body}` : ""}`);
      if (device.showing === "lock") continue;
      shown = [notice, ...shown].slice(0, 2);
      setTimeout(() => {
        shown = shown.filter((one) => one !== notice);
        render(device);
      }, bannerTime);
    }
    shown = shown.filter((notice) => keys.has(notice.id + notice.at) && device.showing !== "lock");
    render(device);
  }

  function render(device) {
    keyed(list, shown, (notice) => notice.id + notice.at, makeNotice(error), (row, notice) => updateNotice(row, notice, device.now));
    setAttribute(list, "data-still", isMotionReduced());
    setHidden(list, shown.length === 0);
  }

  function forget() {
    known = null;
    shown = [];
  }

  return { root: list, update, forget };
}
