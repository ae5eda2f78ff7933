// The calendar: the occurrences to come, by month and by week.

import { api } from './api.js';
import { addDays, addMonths, byDay, daysOf, fromKey, key } from './days.js';
import { h, icon, setAttribute, setText } from './dom.js';
import { count, plural, timeOfDay } from './format.js';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const SHOWN = { month: 3, week: 40 };
// The maximum number of occurrences, of each job and of all jobs together; the daemon lists no more.
const PER_JOB = 1000;
const IN_ALL = 10_000;
const PAUSE = 1000;

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const LONG_DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

const address = (view, day) => `#/calendar/${view}/${key(day)}`;

export class Calendar {
  constructor({ store, element }) {
    Object.assign(this, { store, element, view: 'month', day: new Date(), shown: null, timer: null, loadedAt: -Infinity, took: 0 });
    this.heading = h('h2', { id: 'calendar-title', tabindex: '-1' });
    this.status = h('p', { class: 'note num', role: 'status' });
    const step = (name, glyph) => h('a', { class: 'button step', 'aria-label': name }, icon(glyph));
    this.previous = step('Previous', 'back');
    this.today = h('a', { class: 'button' }, 'Today');
    this.next = step('Next', 'forward');
    this.views = { month: h('a', {}, 'Month'), week: h('a', {}, 'Week') };
    this.table = h('table', { class: 'days' });
    this.note = h('p', { class: 'note more-note' });
    this.problem = h('p', { class: 'problem', role: 'alert' });
    element.append(
      h('div', { class: 'bar' }, this.heading, this.status,
        h('nav', { class: 'steps', 'aria-label': 'Time shown' }, this.previous, this.today, this.next),
        h('nav', { class: 'views', 'aria-label': 'Length of time shown' }, ...Object.values(this.views))),
      this.problem, this.table, this.note);
    store.addEventListener('changed', () => this.soon());
  }

  get href() {
    return address(this.view, this.day);
  }

  show(view = 'month', text = key(new Date())) {
    Object.assign(this, { view, day: fromKey(text) ?? new Date() });
    const by = (n) => (view === 'week' ? addDays(this.day, 7 * n) : addMonths(this.day, n));
    setAttribute(this.previous, 'href', address(view, by(-1)));
    setAttribute(this.next, 'href', address(view, by(1)));
    setAttribute(this.today, 'href', address(view, new Date()));
    for (const [name, link] of Object.entries(this.views)) {
      setAttribute(link, 'href', address(name, this.day));
      setAttribute(link, 'aria-current', name === view ? 'true' : null);
    }
    const days = daysOf(view, this.day);
    setText(this.heading, view === 'week' ? `${SHORT_DAY.format(days[0])} – ${DAY.format(days[6])}` : MONTH.format(this.day));
    this.load();
  }

  /** Loads again, at most once a second and less often if answers take long; not while the calendar is hidden. */
  soon() {
    if (this.timer !== null || !this.element.checkVisibility()) return;
    const pause = Math.max(PAUSE, 5 * this.took) - (performance.now() - this.loadedAt);
    this.timer = setTimeout(() => this.load(), Math.max(0, pause));
  }

  async load() {
    clearTimeout(this.timer);
    this.timer = null;
    this.controller?.abort();
    const { signal } = (this.controller = new AbortController());
    const days = daysOf(this.view, this.day);
    const [begin, end] = [days[0], addDays(days.at(-1), 1)];
    const now = new Date();
    this.loadedAt = performance.now();
    try {
      const limit = Math.max(10, Math.min(PER_JOB, Math.floor(IN_ALL / Math.max(1, this.store.counts.scheduled))));
      // `after` is exclusive and `until` inclusive; both are moved so that midnight belongs to the day that it begins.
      const values = { after: new Date(Math.max(now, begin - 1)).toISOString(), until: new Date(end - 1).toISOString(), limit };
      const answer = end <= now ? { occurrences: [], truncated: [], cut: null } : await api.upcoming(values, signal);
      this.took = performance.now() - this.loadedAt;
      if (signal.aborted) return;
      setText(this.problem, '');
      this.render(days, answer);
    } catch (error) {
      if (error.name === 'AbortError') return;
      setText(this.problem, error.message);
    }
    clearTimeout(this.midnight);
    this.midnight = setTimeout(() => this.soon(), addDays(now, 1) - now + 50);
  }

  render(days, { occurrences, truncated, cut }) {
    const fresh = JSON.stringify([this.view, key(days[0]), key(new Date()), occurrences, truncated, cut]);
    if (fresh === this.shown) return;
    this.shown = fresh;
    const entries = byDay(occurrences);
    const focused = this.table.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const isWeek = this.view === 'week';
    const cells = days.map((day) => this.cell(day, entries.get(key(day)) ?? []));
    const rows = [];
    for (let index = 0; index < cells.length; index += 7) rows.push(h('tr', { role: 'row' }, cells.slice(index, index + 7)));
    this.table.className = `days ${this.view}`;
    // The elements have these roles by themselves, but browsers drop them if `display` has another value.
    setAttribute(this.table, 'role', 'table');
    this.table.replaceChildren(
      h('caption', { class: 'unseen' }, `What is due, ${this.heading.textContent}`),
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, WEEKDAYS.map((name) =>
        h('th', { scope: 'col', role: 'columnheader' }, h('span', { class: 'unseen' }, name), h('span', { 'aria-hidden': 'true' }, name.slice(0, 3)))))),
      h('tbody', { role: 'rowgroup' }, rows));
    if (focused) (this.table.querySelector(`[data-key="${CSS.escape(focused)}"]`) ?? this.heading).focus({ preventScroll: true });
    const none = isWeek ? 'Nothing is due in this week' : 'Nothing is due in these weeks';
    setText(this.status, occurrences.length ? plural(occurrences.length, 'occurrence') : none);
    this.showTruncated(occurrences, truncated, cut);
  }

  /** Shows which lists are cut off, so that their days do not look like days on which nothing is due. */
  showTruncated(occurrences, truncated, cut) {
    const long = new Set(truncated);
    const last = new Map();
    for (const { job, name, due } of occurrences) if (long.has(job)) last.set(job, { name: name ?? job, ms: Date.parse(due) });
    const parts = [...last.values()].slice(0, 3).map(({ name, ms }) => `“${name}” is shown until ${SHORT_DAY.format(ms)}, ${timeOfDay(ms)}`);
    if (truncated.length > 3) parts.push(`${plural(truncated.length - 3, 'more job')} likewise`);
    const notes = parts.length ? [`These jobs have more occurrences than are listed: ${parts.join('; ')}.`] : [];
    const ms = cut && Date.parse(cut);
    if (cut) notes.unshift(`There are too many occurrences to list: all jobs are shown until ${SHORT_DAY.format(ms)}, ${timeOfDay(ms)}.`);
    setText(this.note, notes.join(' '));
  }

  cell(day, entries) {
    const text = key(day);
    const isToday = text === key(new Date());
    const most = SHOWN[this.view];
    // One entry too many is shown, because "1 more" would need a line as well.
    const shown = entries.length <= most + 1 ? entries : entries.slice(0, most);
    const rest = entries.length - shown.length;
    const all = entries.reduce((sum, { dues }) => sum + dues.length, 0);
    const isMarked = entries.some(({ notes }) => notes.length > 0);
    const more = (words, label, name) => h('a', { class: name, href: address('week', day), 'data-key': `${text} ${name}`, 'aria-label': label }, words);
    return h('td', { role: 'cell', class: this.view === 'month' && day.getMonth() !== this.day.getMonth() ? 'outside' : null, 'aria-current': isToday ? 'date' : null },
      h('h3', { class: 'day' }, h('time', { datetime: text },
        h('span', { class: 'unseen' }, LONG_DAY.format(day)),
        h('span', { class: 'number num', 'aria-hidden': 'true' }, String(day.getDate())),
        h('span', { class: 'long', 'aria-hidden': 'true' }, SHORT_DAY.format(day)))),
      entries.length ? h('ul', { class: 'entries', role: 'list' }, shown.map((entry) => this.entry(text, entry))) : h('p', { class: 'nothing' }, 'Nothing'),
      rest > 0 && (this.view === 'month' ? more(`${count(rest)} more`, `${count(rest)} more on ${LONG_DAY.format(day)}`, 'rest') : h('p', { class: 'rest' }, `${count(rest)} more`)),
      all > 0 && more(count(all), `${plural(all, 'occurrence')} on ${LONG_DAY.format(day)}${isMarked ? ', with a change of the clock' : ''}`, isMarked ? 'sum marked' : 'sum'));
  }

  entry(day, { job, name, dues, notes }) {
    const times = dues.length > 1 ? ` × ${count(dues.length)}` : '';
    return h('li', {},
      h('a', { href: `#/job/${job}`, 'data-key': `${day} ${job}`, title: `${name ?? job}, ${timeOfDay(dues[0])}${times}` },
        h('span', { class: 'num at' }, timeOfDay(dues[0])), ' ', h('span', { class: 'who' }, name ?? job), times && h('span', { class: 'num times' }, times)),
      notes.length > 0 && h('span', { class: 'changed', title: notes[0] }, h('span', { class: 'short', 'aria-hidden': 'true' }, 'clock change'), h('span', { class: 'full' }, notes[0])));
  }
}
