// Why an occurrence ran, did not run, or waits: the decisions about it, from the daemon.

import { api } from './api.js';
import { h, setText } from './dom.js';
import { fullTime, instant } from './format.js';

// The explanation of a job that runs all the time is requested at most once within this time.
const PAUSE = 1000;

export class Why {
  constructor({ job }) {
    Object.assign(this, { job, occurrence: undefined, timer: null });
    this.subject = h('span', { class: 'note num' });
    this.list = h('ol', { class: 'why-list' });
    this.note = h('p', { class: 'note', role: 'status' });
    this.element = h('section', { class: 'why-box', 'aria-labelledby': 'why-title' },
      h('header', {}, h('h3', { id: 'why-title' }, 'Why'), this.subject), this.list, this.note);
  }

  close() {
    clearTimeout(this.timer);
    this.controller?.abort();
  }

  /** Explains an occurrence; `null` means the oldest open one, else the next, else the last. */
  show(occurrence) {
    if (this.occurrence === occurrence) return;
    this.occurrence = occurrence;
    this.load();
  }

  /** Explains the occurrence again soon, because something has happened to the job. */
  soon() {
    if (this.occurrence === undefined) return;
    this.timer ??= setTimeout(() => this.load(), PAUSE);
  }

  async load() {
    if (this.occurrence === undefined) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.controller?.abort();
    this.controller = new AbortController();
    try {
      this.render(await api.why(this.job, this.occurrence, this.controller.signal));
      setText(this.note, '');
    } catch (error) {
      if (error.name === 'AbortError' || error.status === 0) return;
      this.list.replaceChildren();
      setText(this.note, error.message);
    }
  }

  render({ occurrence, decisions }) {
    setText(this.subject, occurrence === null ? '' : occurrence > 0 ? `occurrence ${occurrence}` : 'run by hand');
    this.list.replaceChildren(...decisions.map(({ code, at, text }) => {
      const ms = at === null ? null : Date.parse(at);
      const when = ms === null ? h('span', {}, 'now') : h('time', { datetime: at, title: fullTime(ms) }, instant(ms));
      return h('li', { 'data-code': code }, h('span', { class: 'num' }, when), h('span', {}, text));
    }));
  }
}
