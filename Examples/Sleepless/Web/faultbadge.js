/** How many faults there are, for windows in which the panel that lists them can be out of sight. */

import { button, h, setAttribute, setHidden, setText } from "./dom.js";

/** A button of the masthead, which shows the panel, and a count on the panel's tab. */
export function makeFaultBadge(masthead, tab, show) {
  const badge = button("", show, { class: "fault-badge", hidden: true });
  // The count is hidden from screen readers, so that the tab keeps its name. The tab's description contains the count.
  const count = h("span", { class: "fault-count", "aria-hidden": "true", hidden: true });
  masthead.append(badge);
  tab.append(count);

  function update({ device }) {
    const faults = device.faults.length;
    const text = `${faults} ${faults === 1 ? "fault" : "faults"}`;
    setText(badge, text);
    setText(count, faults);
    setAttribute(tab, "aria-description", faults ? text : null);
    for (const part of [badge, count]) setHidden(part, faults === 0);
  }

  return { update };
}
