/** The way to the server: taps and controls out, snapshots, log and frames in. */

import { setHidden, setText } from "./dom.js";

const listeners = { screen: [], log: [], frame: [], connection: [] };
let revision = -1;
let latest = null;

export const on = (event, action) => listeners[event].push(action);
const emit = (event, ...values) => listeners[event].forEach((action) => action(...values));

export const snapshot = () => latest;

/** Answers and the stream may overtake each other; the later revision counts. */
function take(screen, isNewStream = false) {
  if (!isNewStream && screen.revision < revision) return;
  revision = screen.revision;
  latest = screen;
  emit("screen", screen);
}

function show(place, message) {
  if (!place) return;
  setText(place, message);
  setHidden(place, !message);
}

async function post(path, body, place) {
  let answer;
  try {
    answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body ?? {}),
    });
  } catch {
    show(place, "The server does not answer.");
    return null;
  }
  let content = null;
  try {
    content = await answer.json();
  } catch {
    content = null;
  }
  if (!answer.ok) {
    show(place, content?.error?.message ?? `The server answered ${answer.status}.`);
    return null;
  }
  show(place, "");
  if (content?.revision !== undefined) take(content);
  return content;
}

/** A tap in the app. `place` is the element that shows a refusal. */
export const tap = (action, body, place) => post(`/app/${action}`, body, place);
/** A control of the phone. */
export const control = (name, body, place) => post(`/device/${name}`, body, place);

export function connect() {
  const source = new EventSource("/events");
  let isFirstScreen = true;
  let isFirstLog = true;
  source.addEventListener("open", () => {
    [isFirstScreen, isFirstLog] = [true, true];
    emit("connection", "open");
  });
  source.addEventListener("error", () => {
    emit("connection", "lost");
    // The browser does not reopen a stream that was refused, so this is done here.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
  });
  source.addEventListener("screen", (event) => {
    take(JSON.parse(event.data), isFirstScreen);
    isFirstScreen = false;
  });
  source.addEventListener("log", (event) => {
    const events = JSON.parse(event.data);
    // A new phone's log begins with the installation; the old phone's is of no interest then.
    const begin = events.findLastIndex((one) => one.kind === "control" && one.text === "install");
    emit("log", events.slice(Math.max(0, begin)), isFirstLog || begin >= 0);
    isFirstLog = false;
  });
  source.addEventListener("frame", (event) => emit("frame", JSON.parse(event.data)));
  // The page was too slow, and the server has left out events. A new stream begins with the whole state.
  source.addEventListener("lost", () => {
    source.close();
    connect();
  });
}
