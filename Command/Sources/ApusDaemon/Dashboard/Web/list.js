// The list of jobs: a grid in which only the visible rows exist.
//
// To a screen reader it is a whole grid: `aria-rowcount` and `aria-rowindex` give its length and the position, and the
// arrow keys, Page Up, Page Down, Control+Home and Control+End reach all of it; Home and End move to the first and the
// last control of a row (ARIA Authoring Practices, "Grid"). One control of the grid is in the tab order. The row with
// the focus is kept when it is scrolled away, so that the focus is never lost.

import { h, setAttribute, setText } from './dom.js';
import { count, plural } from './format.js';
import { Row } from './row.js';

const MARGIN = 6;
// The order of the rows does not change within this time after the pointer moved over the list or a key was pressed in
// it.
const HOLD = 3000;
// Even if the pointer keeps moving, an outdated order stays no longer than this.
const LONGEST_HOLD = 10_000;

export class List {
  constructor({ store, ticker, trends, act, element, empty, status }) {
    Object.assign(this, { store, ticker, trends, act, element, empty, status });
    this.rows = new Map();
    this.spare = [];
    this.selected = null;
    this.active = { id: null, column: 0 };
    this.heldUntil = 0;
    this.sortTimer = null;
    this.canvas = h('div', { role: 'rowgroup', class: 'canvas' });
    const head = ['', 'Job', 'Trigger', '', 'Next due', 'Last run', ''];
    const names = ['Countdown', null, null, 'What it does', null, null, 'Actions'];
    const classes = ['c-ring', 'c-name', 'c-trigger', 'c-what', 'c-due', 'c-last', 'c-tools'];
    // The head is inside the scrolled element, so that head and rows have the same width with every kind of scroll bar.
    this.head = h('div', { role: 'rowgroup', class: 'head-group' },
      h('div', { role: 'row', class: 'row head', 'aria-rowindex': 1 }, head.map((text, index) =>
        h('div', { role: 'columnheader', class: `cell ${classes[index]}` }, text || h('span', { class: 'unseen' }, names[index])))));
    this.viewport = h('div', { class: 'viewport', role: 'presentation' }, this.head, this.canvas);
    element.append(this.viewport);
    this.listen();
    ticker.add((now) => this.tick(now));
  }

  listen() {
    this.store.addEventListener('arranged', () => this.render());
    this.store.addEventListener('changed', ({ detail }) => this.changed(detail));
    this.trends.addEventListener('trend', ({ detail: id }) => this.refresh(id));
    const again = () => this.schedule();
    document.addEventListener('scroll', again, { capture: true, passive: true });
    addEventListener('resize', () => {
      this.rowHeight = null;
      again();
    });
    const hold = () => (this.heldUntil = performance.now() + HOLD);
    this.canvas.addEventListener('pointermove', hold, { passive: true });
    this.canvas.addEventListener('pointerdown', hold, { passive: true });
    this.canvas.addEventListener('pointerleave', () => this.release(), { passive: true });
    this.element.addEventListener('keydown', (event) => {
      hold();
      this.key(event);
    });
    this.element.addEventListener('focusin', (event) => this.focused(event.target));
    this.canvas.addEventListener('click', (event) => this.clicked(event));
  }

  select(id) {
    if (this.selected === id) return;
    this.selected = id;
    if (id && this.store.jobs.has(id)) this.active = { id, column: 0 };
    for (const row of this.rows.values()) row.place(row.index, row.job.id === id);
    this.showTabStop();
  }

  changed({ changed, moved }) {
    if (moved) this.render();
    else {
      for (const id of changed) this.refresh(id);
    }
    this.ticker.wake();
    if (this.store.unsorted && this.sortTimer === null) {
      this.staleSince = performance.now();
      this.sortTimer = setTimeout(() => this.sort(), 1000);
    }
  }

  refresh(id) {
    const row = this.rows.get(id);
    const job = this.store.jobs.get(id);
    if (row && job) row.show(job, row.index, id === this.selected);
  }

  /** Updates an order that was held back, because the pointer has left the list. */
  release() {
    this.heldUntil = 0;
    if (this.sortTimer === null) return;
    clearTimeout(this.sortTimer);
    this.sort();
  }

  sort() {
    const rest = Math.min(this.heldUntil, this.staleSince + LONGEST_HOLD) - performance.now();
    if (rest > 0) {
      this.sortTimer = setTimeout(() => this.sort(), rest + 10);
      return;
    }
    this.sortTimer = null;
    if (this.store.unsorted) this.store.arrange();
  }

  schedule() {
    this.needsRender = true;
    this.ticker.wake();
  }

  get height() {
    this.rowHeight ??= parseFloat(getComputedStyle(this.element).getPropertyValue('--row')) || 64;
    return this.rowHeight;
  }

  /** Returns the visible rows: those between the edges of the window and of the viewport. */
  range() {
    const clip = this.viewport.getBoundingClientRect();
    const top = Math.max(0, clip.top);
    const bottom = Math.min(innerHeight, clip.bottom);
    const start = this.canvas.getBoundingClientRect().top;
    return {
      first: Math.max(0, Math.floor((top - start) / this.height)),
      last: Math.min(this.store.order.length - 1, Math.ceil((bottom - start) / this.height)),
    };
  }

  render() {
    this.needsRender = false;
    const { order } = this.store;
    this.canvas.style.setProperty('height', `${order.length * this.height}px`);
    setAttribute(this.element, 'aria-rowcount', order.length + 1);
    const { first, last } = (this.seen = this.range());
    const wanted = new Map();
    for (let index = Math.max(0, first - MARGIN); index <= Math.min(order.length - 1, last + MARGIN); index += 1) {
      wanted.set(order[index].id, index);
    }
    this.keepActive(wanted);
    for (const [id, row] of this.rows) {
      if (wanted.has(id)) continue;
      this.rows.delete(id);
      row.element.remove();
      this.spare.push(row);
    }
    const focused = this.canvas.contains(document.activeElement) ? document.activeElement : null;
    let place = this.canvas.firstChild;
    for (const [id, index] of [...wanted].sort(([, a], [, b]) => a - b)) {
      const element = this.put(id, index);
      // The rows are in the order in which a screen reader reads them.
      if (element === place) place = place.nextSibling;
      else this.canvas.insertBefore(element, place);
    }
    if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
    this.showTabStop();
    this.showEmpty();
    this.ticker.wake();
  }

  /** Keeps the row with the focus, wherever it is. */
  keepActive(wanted) {
    if (!this.active.id || wanted.has(this.active.id) || !this.rows.get(this.active.id)?.element.contains(document.activeElement)) return;
    const index = this.store.order.findIndex((job) => job.id === this.active.id);
    if (index >= 0) wanted.set(this.active.id, index);
  }

  put(id, index) {
    let row = this.rows.get(id);
    if (!row) this.rows.set(id, (row = this.spare.pop() ?? new Row(this)));
    row.show(this.store.order[index], index, id === this.selected);
    return row.element;
  }

  tick(now) {
    if (this.needsRender) this.render();
    let pause = Infinity;
    for (const row of this.rows.values()) pause = Math.min(pause, row.tick(now));
    return pause;
  }

  showEmpty() {
    const { order, view, isLoaded, hasEnded, jobs } = this.store;
    const isEmpty = isLoaded && !order.length && (view.filter !== 'ended' || hasEnded);
    this.empty.hidden = !isEmpty;
    this.element.classList.toggle('nothing', isEmpty);
    if (isEmpty) this.empty.dataset.why = view.search || view.label ? 'search' : view.filter === 'open' || !jobs.size ? 'none' : 'filter';
    const shown = `${plural(order.length, 'job')}${view.search || view.label ? ` of ${count(jobs.size)}` : ''}`;
    setText(this.status, !isLoaded ? (order.length ? `${shown}, loading more …` : 'Loading …') : shown);
  }

  // The keyboard

  /** Makes exactly one control of the grid reachable with the tab key. */
  showTabStop() {
    let row = this.rows.get(this.active.id);
    if (!row) {
      const first = this.store.order[this.seen?.first];
      row = first && this.rows.get(first.id);
      if (!row) return;
      this.active = { id: row.job.id, column: 0 };
    }
    const stop = row.controls[Math.min(this.active.column, row.controls.length - 1)];
    if (this.stop === stop && stop.tabIndex === 0) return;
    if (this.stop) this.stop.tabIndex = -1;
    this.stop = stop;
    stop.tabIndex = 0;
  }

  focused(target) {
    const element = target.closest('.row[data-id]');
    const row = element && this.rows.get(element.dataset.id);
    if (!row) return;
    this.active = { id: row.job.id, column: Math.max(0, row.controls.indexOf(target)) };
    this.showTabStop();
  }

  key(event) {
    if (event.altKey || event.metaKey) return;
    const index = this.store.order.findIndex((job) => job.id === this.active.id);
    if (index < 0) return;
    const page = Math.max(1, Math.floor(this.viewport.clientHeight / this.height) - 1);
    const rows = { ArrowDown: 1, ArrowUp: -1, PageDown: Math.min(page, 12), PageUp: -Math.min(page, 12) };
    const across = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
    const ends = { Home: 0, End: this.store.order.length - 1 };
    if (event.ctrlKey) {
      if (!(event.key in ends)) return;
      this.go(ends[event.key]);
    } else if (event.key in rows) this.go(index + rows[event.key]);
    else if (event.key in across) this.goAcross(across[event.key]);
    else return;
    event.preventDefault();
  }

  /** Moves the focus by rows, from the active row, or into the list. */
  move(by) {
    if (!this.store.order.length) return false;
    const index = this.store.order.findIndex((job) => job.id === this.active.id);
    const isInside = this.canvas.contains(document.activeElement);
    this.go(index < 0 ? 0 : isInside ? index + by : index);
  }

  go(index) {
    const bounded = Math.max(0, Math.min(this.store.order.length - 1, index));
    const top = bounded * this.height;
    const isOwnScroller = this.viewport.scrollHeight > this.viewport.clientHeight + 1;
    if (isOwnScroller) {
      const { scrollTop, clientHeight } = this.viewport;
      // The head covers the top of the scrolled area, and the canvas begins below it.
      const free = clientHeight - this.head.offsetHeight;
      if (top < scrollTop) this.viewport.scrollTop = top;
      else if (top + this.height > scrollTop + free) this.viewport.scrollTop = top + this.height - free;
    } else {
      const start = this.canvas.getBoundingClientRect().top + top;
      if (start < 120) scrollBy(0, start - 120);
      else if (start + this.height > innerHeight) scrollBy(0, start + this.height - innerHeight);
    }
    this.active.id = this.store.order[bounded].id;
    this.render();
    const row = this.rows.get(this.active.id);
    row?.controls[Math.min(this.active.column, row.controls.length - 1)].focus({ preventScroll: true });
  }

  goAcross(by) {
    const row = this.rows.get(this.active.id);
    if (!row) return;
    this.active.column = Math.max(0, Math.min(row.controls.length - 1, Math.min(this.active.column, row.controls.length - 1) + by));
    row.controls[this.active.column].focus();
  }

  clicked(event) {
    const element = event.target.closest('.row[data-id]');
    const row = element && this.rows.get(element.dataset.id);
    if (!row) return;
    const tool = event.target.closest('button');
    if (tool) this.act(tool.dataset.action, row.job, tool);
    else if (!event.target.closest('a') && !getSelection().toString()) location.hash = `#/job/${row.job.id}`;
  }
}
