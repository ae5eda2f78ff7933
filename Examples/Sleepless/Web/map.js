/** A made-up town under the pins, the same wherever one looks again. */

import { h, setAttribute, svg } from "./dom.js";

const [width, height] = [340, 290];
const metresPerDegree = 111_320;
/** How wide a block of houses is at the least, and how wide the whole view, in metres. */
const smallestBlock = 44;
const smallestSpan = 170;
/** Pins that would cover each other are left out; the way is drawn whole. */
const pinDistance = 11;

/** A number between 0 and 1 that belongs to a place. */
function noise(x, y) {
  const wave = Math.sin(x * 127.1 + y * 311.7) * 43758.5453;
  return wave - Math.floor(wave);
}

const metres = (pin, origin) => ({
  x: (pin.longitude - origin.longitude) * metresPerDegree * Math.cos((origin.latitude * Math.PI) / 180),
  y: (origin.latitude - pin.latitude) * metresPerDegree,
});

export function makeMap() {
  const ground = svg("g", {});
  const accuracy = svg("circle", { class: "map-accuracy" });
  const ways = svg("g", {});
  const marks = svg("g", {});
  const here = svg("circle", { class: "map-here", r: 6 });
  const scale = h("span", { class: "map-scale" });
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", preserveAspectRatio: "xMidYMid slice" }, ground, accuracy, ways, marks, here);
  const legend = h("p", { class: "map-legend" },
    h("span", { class: "legend front", text: "in front" }), h("span", { class: "legend away", text: "background" }), scale);
  const root = h("div", { class: "map" }, picture, legend);
  let drawn = "";
  let view = null;
  let origin = null;

  function town({ left, top, pixels }) {
    let block = smallestBlock;
    while (block * pixels < 30) block *= 2;
    const [columns, rows] = [Math.ceil(width / pixels / block) + 1, Math.ceil(height / pixels / block) + 1];
    const [firstColumn, firstRow] = [Math.floor(left / block), Math.floor(top / block)];
    const shapes = [];
    const at = (column, row) => ({ x: (column * block - left) * pixels, y: (row * block - top) * pixels });
    for (let row = firstRow; row <= firstRow + rows; row += 1) {
      for (let column = firstColumn; column <= firstColumn + columns; column += 1) {
        const kind = noise(column, row);
        const corner = at(column, row);
        const gap = block * 0.055 * pixels;
        shapes.push(svg("rect", {
          class: kind > 0.86 ? "map-park" : "map-block", rx: 3,
          x: corner.x + gap, y: corner.y + gap, width: Math.max(1, block * pixels - 2 * gap),
          height: Math.max(1, block * pixels * (kind < 0.25 ? 0.46 : 1) - 2 * gap),
        }));
      }
    }
    const river = [];
    for (let x = -20; x <= width + 20; x += 10) {
      const east = left + x / pixels;
      const south = 90 + 34 * Math.sin(east / 150) + 15 * Math.sin(east / 61);
      river.push(`${x},${((south - top) * pixels).toFixed(1)}`);
    }
    shapes.push(svg("polyline", { class: "map-river", points: river.join(" "), "stroke-width": Math.max(3, 22 * pixels) }));
    ground.replaceChildren(...shapes);
  }

  /** The view moves only when a pin would leave it. */
  function frame(points) {
    const xs = points.map((point) => point.x);
    const ys = points.map((point) => point.y);
    const fits = view && Math.min(...xs) > view.left + 20 / view.pixels && Math.max(...xs) < view.left + (width - 20) / view.pixels
      && Math.min(...ys) > view.top + 20 / view.pixels && Math.max(...ys) < view.top + (height - 30) / view.pixels;
    if (fits) return view;
    const span = Math.max(smallestSpan, (Math.max(...xs) - Math.min(...xs)) * 1.6, (Math.max(...ys) - Math.min(...ys)) * 1.6 * (width / height));
    const pixels = width / span;
    const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
    return { left: middle(xs) - width / pixels / 2, top: middle(ys) - height / pixels / 2, pixels };
  }

  function drawWay(places, pins) {
    const lines = [];
    const shown = [];
    let last = null;
    places.forEach(({ x, y }, index) => {
      const { inBackground } = pins[index];
      const spot = `${x.toFixed(1)},${y.toFixed(1)}`;
      // Where the app enters or leaves the background, a new line begins at the end of the one before.
      if (lines.at(-1)?.inBackground !== inBackground) lines.push({ inBackground, spots: lines.length ? [lines.at(-1).spots.at(-1)] : [] });
      lines.at(-1).spots.push(spot);
      if (last && last.inBackground === inBackground && Math.hypot(x - last.x, y - last.y) < pinDistance) return;
      last = { x, y, inBackground };
      shown.push(inBackground
        ? svg("rect", { class: "map-pin away", x: x - 3.5, y: y - 3.5, width: 7, height: 7, transform: `rotate(45 ${x} ${y})` })
        : svg("circle", { class: "map-pin", cx: x, cy: y, r: 3.5 }));
    });
    ways.replaceChildren(...lines.map((line) => svg("polyline", { class: line.inBackground ? "map-path away" : "map-path", points: line.spots.join(" ") })));
    marks.replaceChildren(...shown);
  }

  function update(pins) {
    const key = `${pins.length} ${pins.at(-1)?.at ?? ""}`;
    if (key === drawn) return;
    drawn = key;
    if (pins.length === 0) [view, origin] = [null, null];
    // The origin stays the first pin that was drawn: the first pins are dropped when there are too many, and the town
    // must not move then.
    origin ??= pins[0];
    const points = pins.map((pin) => metres(pin, origin));
    const wanted = frame(points.length ? points : [{ x: 0, y: 0 }]);
    if (wanted !== view || !ground.firstChild) town(wanted);
    view = wanted;
    const place = (point) => ({ x: (point.x - view.left) * view.pixels, y: (point.y - view.top) * view.pixels });
    const places = points.map(place);
    drawWay(places, pins);
    const last = places.at(-1);
    for (const circle of [accuracy, here]) {
      setAttribute(circle, "cx", last?.x ?? -50);
      setAttribute(circle, "cy", last?.y ?? -50);
    }
    setAttribute(accuracy, "r", last ? Math.max(8, (pins.at(-1).accuracy ?? 0) * view.pixels) : 0);
    const bar = [50, 100, 200, 500, 1000, 2000, 5000].find((length) => length * view.pixels > 34) ?? 10000;
    scale.textContent = bar >= 1000 ? `${bar / 1000} km` : `${bar} m`;
    scale.style.width = `${bar * view.pixels}px`;
    setAttribute(picture, "aria-label", pins.length
      ? `Map with ${pins.length} pins, ${pins.filter((pin) => pin.inBackground).length} of them taken in the background`
      : "Map without pins");
  }

  return { root, update };
}
