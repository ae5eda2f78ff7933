// Messages for the user: notifications, and countdowns that end.

import { h, icon, setText } from './dom.js';
import { count } from './format.js';

const SHOWN = 4;
const STAYS = 9000;
// A job that notifies every second must not cover the page: when more toasts than these come within a moment, the
// further ones are only counted.
const BURST = 3;
const MOMENT = 2000;

export class Toasts {
  constructor(element) {
    this.element = element;
    this.recent = [];
    // For each toast, the element that had the focus when it came. It gets the focus back if the toast has it at its
    // end.
    this.openers = new WeakMap();
    this.over = null;
  }

  /**
   * `kind` is the name of an icon or `problem`; `href` leads to the job; `action`, a `{ text, run }`, is a button that
   * removes the toast. Returns the toast, unless it was only counted.
   */
  show({ kind, title, text, href, action = null }) {
    if (action || kind === 'problem') return this.add(kind, title, text, href, action);
    const now = performance.now();
    this.recent = this.recent.filter((at) => now - at < MOMENT);
    if (this.recent.length >= BURST) return this.countOne();
    this.recent.push(now);
    return this.add(kind, title, text, href);
  }

  add(kind, title, text, href, action = null) {
    const words = h('p', {}, href ? h('a', { class: 'plain', href }, title) : h('strong', {}, title), text && h('span', {}, text));
    const toast = h('div', { class: 'toast', 'data-kind': kind },
      kind === 'problem' ? null : icon(kind), words,
      action && h('button', { type: 'button', class: 'quiet', onclick: ({ currentTarget }) => (action.run(currentTarget), this.remove(toast)) }, action.text),
      h('button', { type: 'button', class: 'tool', 'aria-label': `Close: ${title}`, onclick: () => this.remove(toast) }, icon('close')));
    this.openers.set(toast, document.activeElement);
    this.element.append(toast);
    while (this.element.childElementCount > SHOWN) this.remove(this.element.firstElementChild);
    this.leave(toast);
    return toast;
  }

  countOne() {
    if (!this.over?.isConnected) {
      this.left = 0;
      this.over = this.add('bell', 'More notifications', ' ', null);
    }
    this.left += 1;
    setText(this.over.querySelector('span'), `${count(this.left)} more at this moment; the history shows all of them.`);
  }

  remove(toast) {
    const opener = this.openers.get(toast);
    if (toast.contains(document.activeElement)) (opener?.isConnected ? opener : document.querySelector('main')).focus();
    toast.remove();
  }

  /** A toast disappears by itself, but not under the pointer or with the focus, nor while the page is hidden. */
  leave(toast) {
    let left = STAYS;
    const timer = setInterval(() => {
      if (!toast.isConnected) return clearInterval(timer);
      if (document.hidden || toast.matches(':hover') || toast.contains(document.activeElement)) return;
      left -= 1000;
      if (left <= 0) this.remove(toast);
    }, 1000);
  }
}
