"""What has to be true of every page at every width: it fits, everything has a name, all text can be read, axe is content."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Colours are taken as they are painted: a canvas knows every notation.
FAINT_TEXT = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const parse = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const over = (top, below) => top.slice(0, 3).map((value, i) => (value * top[3] + below[i] * (255 - top[3])) / 255);
  const background = (element) => {
    const layers = [];
    for (let up = element; up; up = up.parentElement) {
      const colour = parse(getComputedStyle(up).backgroundColor);
      if (colour[3]) layers.push(colour);
      if (colour[3] === 255) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((value) => ((value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const walker = document.createTreeWalker(document.querySelector('dialog[open]') ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('.unseen, noscript, script, style, :disabled')) continue;
    const style = getComputedStyle(element);
    const back = background(element);
    const ink = over(parse(element instanceof SVGElement ? style.fill : style.color), back);
    const [high, low] = [light(ink), light(back)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) found.push(`${node.data.trim().slice(0, 30)}: ${ratio.toFixed(2)} (${element.className.baseVal ?? element.className})`);
  }
  return [...new Set(found)].slice(0, 8);
}"""


class Looks:
    """For a test with a page."""

    page: Page

    def assert_fits(self, page: Page | None = None) -> None:
        """Nothing is wider than the window."""
        page = page or self.page
        width, content = page.evaluate("[innerWidth, document.documentElement.scrollWidth]")
        self.assertLessEqual(content, width, f"the page is {content} px wide in a window of {width} px")
        outside = page.evaluate(
            """() => [...document.querySelectorAll('body *')].filter((e) => {
              const box = e.getBoundingClientRect();
              if (!box.width || !box.height || box.right <= innerWidth + 1) return false;
              for (let up = e; up; up = up.parentElement) {
                if (up.scrollWidth > up.clientWidth && getComputedStyle(up).overflowX === 'auto') return false;
                if (getComputedStyle(up).overflowX === 'hidden' || getComputedStyle(up).overflowX === 'clip') return false;
              }
              return true;
            }).map((e) => e.tagName + '.' + e.getAttribute('class')).slice(0, 5)"""
        )
        self.assertEqual(outside, [], "these reach out of the window")

    def assert_controls_have_names(self, page: Page | None = None) -> None:
        """Everything that can be operated has a name that a screen reader says."""
        page = page or self.page
        session = page.context.new_cdp_session(page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        roles = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "slider", "tab", "switch", "spinbutton", "dialog", "img", "table", "grid"}
        nameless = [
            node["role"]["value"]
            for node in nodes
            if not node.get("ignored")
            and node.get("role", {}).get("value") in roles
            and not str(node.get("name", {}).get("value", "")).strip()
        ]
        self.assertEqual(nameless, [], "these have no accessible name")

    def assert_readable(self, page: Page | None = None) -> None:
        """Text has a contrast of 4.5:1 to its background (WCAG 2.2, 1.4.3)."""
        found = (page or self.page).evaluate(FAINT_TEXT)
        self.assertEqual(found, [], "this text is too faint")

    def assert_accessible(self, page: Page | None = None) -> None:
        """axe-core finds no violation of its rules (WCAG 2.2, and its best practices)."""
        found = Axe().run(page or self.page)
        self.assertEqual(found.violations_count, 0, found.generate_report())
