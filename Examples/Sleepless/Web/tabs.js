/** Tabs as the keyboard and screen readers know them: one stop, arrows between. */

import { h, setAttribute } from "./dom.js";

export function makeTabs(items, choose, root) {
  root.setAttribute("role", "tablist");
  const tabs = items.map((item) => {
    const tab = h("button", {
      type: "button", role: "tab", id: item.id, "aria-controls": item.panel, "aria-selected": "false", tabindex: -1,
      on: { click: () => choose(item.name) },
    }, item.content ?? item.label);
    return { ...item, tab };
  });
  root.append(...tabs.map((item) => item.tab));
  root.addEventListener("keydown", (event) => {
    const at = tabs.findIndex((item) => item.tab === document.activeElement);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const item = tabs[(to + tabs.length) % tabs.length];
    item.tab.focus();
    choose(item.name);
  });

  function select(name) {
    for (const item of tabs) {
      setAttribute(item.tab, "aria-selected", item.name === name ? "true" : "false");
      setAttribute(item.tab, "tabindex", item.name === name ? 0 : -1);
    }
  }

  return { root, select };
}
