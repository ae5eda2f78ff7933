// What the daemon tells people: notifications, and countdowns that end.

import { h, icon, setText } from './dom.js';
import { count } from './format.js';

const SHOWN = 4;
const STAYS = 9000;
// A job that notifies every second must not cover the page: more than these in a moment are counted.
const BURST = 3;
const MOMENT = 2000;

export class Toasts {
  constructor(element) {
    this.element = element;
    this.recent = [];
    this.over = null;
  }

  /** `kind` is `bell`, `timer` or `problem`; `href` leads to the job. */
  show({ kind, title, text, href }) {
    const now = performance.now();
    this.recent = this.recent.filter((at) => now - at < MOMENT);
    if (kind !== 'problem' && this.recent.length >= BURST) return this.countOne();
    this.recent.push(now);
    this.add(kind, title, text, href);
  }

  add(kind, title, text, href) {
    const words = h('p', {}, href ? h('a', { class: 'plain', href }, title) : h('strong', {}, title), text && h('span', {}, text));
    const toast = h('div', { class: 'toast', 'data-kind': kind },
      kind === 'problem' ? null : icon(kind), words,
      h('button', { type: 'button', class: 'tool', 'aria-label': `Close: ${title}`, onclick: () => this.remove(toast) }, icon('close')));
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
    setText(this.over.querySelector('span'), `${count(this.left)} more in this moment; the history has all of them.`);
  }

  remove(toast) {
    if (toast.contains(document.activeElement)) document.querySelector('main').focus();
    toast.remove();
  }

  /** It goes by itself, but not while somebody reads it, or while nobody could have. */
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
