// Creates elements without HTML in strings, so that the text of a job is never read as markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Returns an HTML element, as in `h('button', { type: 'button', onclick }, 'Cancel')`. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Returns an SVG element. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export const byId = (id) => document.getElementById(id);

/** Sets a text only if it differs, because the browser would otherwise lay out the page again for nothing. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// The paths of the icons, in a square of 16 by 16 units, drawn with lines that are 1.5 units wide.
const ICONS = {
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.5 8z',
  run: 'M9 1.8 3.5 9H8l-1 5.2L12.5 7H8z',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M10 3 5 8l5 5',
  calendar: 'M2.8 4.2h10.4v9.3H2.8zM2.8 7.2h10.4M5.4 2.2v3M10.6 2.2v3',
  forward: 'M6 3l5 5-5 5',
  bell: 'M8 2a3.8 3.8 0 0 0-3.8 3.8c0 3.4-1.4 4.7-1.4 4.7h10.4s-1.4-1.3-1.4-4.7A3.8 3.8 0 0 0 8 2zM6.7 13a1.4 1.4 0 0 0 2.6 0',
  timer: 'M8 14A5.2 5.2 0 1 0 8 3.6 5.2 5.2 0 0 0 8 14zM8 6v3M6.4 1.6h3.2',
};

export function icon(name) {
  return s('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' }, s('path', { d: ICONS[name] }));
}
