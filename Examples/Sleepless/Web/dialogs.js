/** The system's questions, drawn over the phone. */

import { h } from "./dom.js";

export function makeDialogs() {
  const root = h("div", { class: "dialogs", hidden: true });
  let opener = null;

  function close() {
    if (root.hidden) return;
    root.hidden = true;
    root.replaceChildren();
    opener?.focus();
    opener = null;
  }

  function show(question) {
    opener = question.opener;
    const title = h("h3", { id: "dialog-title", text: question.title });
    const text = h("p", { id: "dialog-text", text: question.text });
    const buttons = question.buttons.map(([label, action]) => h("button", { type: "button", text: label, on: { click: action } }));
    const dialog = h("div", { class: "dialog", role: "alertdialog", "aria-modal": "true", "aria-labelledby": "dialog-title", "aria-describedby": "dialog-text" },
      question.icon, title, text, h("div", { class: "dialog-buttons" }, buttons));
    root.replaceChildren(dialog);
    root.hidden = false;
    buttons[0].focus();
  }

  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
    if (event.key !== "Tab") return;
    const buttons = [...root.querySelectorAll("button")];
    const edge = event.shiftKey ? buttons[0] : buttons.at(-1);
    if (document.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? buttons.at(-1) : buttons[0]).focus();
  });

  return { root, show, close, get isOpen() { return !root.hidden; } };
}
