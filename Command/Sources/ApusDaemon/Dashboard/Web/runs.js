// A list of runs, newest first, that grows at both ends: by pages of the past, and by events.

import { api } from './api.js';
import { h, setAttribute, setText } from './dom.js';
import { instant, lateness, occurrence, why } from './format.js';
import { Plot } from './plot.js';
import { runKey } from './store.js';
import { took } from './trends.js';

const FIRST_PAGE = 50;
const PAGE = 200;
const IN_PLOT = 150;
// New runs beyond the number that was asked for push out old ones; otherwise a page that stays open grows forever.
const KEPT = 60;

export class Runs {
  /**
   * `job` restricts the list to the runs of one job; `label` names the table; `name`, if the list has the runs of
   * several jobs, returns the name of a run's job; `choose` is called with a run that is clicked in the plot.
   */
  constructor({ job = null, label, name = null, href, choose }) {
    Object.assign(this, { job, name, href, runs: new Map(), next: null, kept: KEPT, error: null, isLoaded: false });
    this.plot = new Plot({ label: `Lateness of ${label}`, name, choose });
    this.body = h('tbody');
    const heads = [name ? 'Job' : 'Occurrence', 'Due', 'Late', 'Took', 'Outcome'];
    this.table = h(
      'table', { class: `runs${name ? ' of-all' : ''}` },
      h('caption', { class: 'unseen' }, `${label}, newest first`),
      h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col', class: `k-${head.toLowerCase()}` }, head)))),
      this.body);
    this.more = h('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => this.loadMore() }, 'Load more');
    this.note = h('p', { class: 'note', role: 'status' });
    this.element = h('div', { class: 'runs-box' }, this.plot.element, this.table, this.note, this.more);
    this.rows = new Map();
    this.timer = null;
    this.chosen = null;
  }

  async load() {
    this.controller?.abort();
    this.controller = new AbortController();
    await this.page({ limit: FIRST_PAGE }, true);
  }

  async loadMore() {
    this.more.disabled = true;
    this.kept = Math.max(this.kept, this.runs.size) + PAGE;
    await this.page({ limit: PAGE, after: this.next }, false);
    this.more.disabled = false;
  }

  async page(query, isFirst) {
    try {
      const page = await api.runs({ job: this.job, ...query }, this.controller.signal);
      if (isFirst) {
        // Runs that came by events during the request are newer, and are kept.
        this.runs = new Map([...this.early].map((run) => [runKey(run), run]));
        this.early = [];
      }
      for (const run of page.runs) if (!this.runs.has(runKey(run))) this.runs.set(runKey(run), run);
      this.next = page.next;
      this.error = null;
      this.isLoaded = true;
    } catch (error) {
      if (error.name === 'AbortError') return;
      this.error = error.message;
    }
    this.render();
  }

  early = [];

  /** Adds runs that have just begun or ended. */
  add(runs) {
    const mine = this.job ? runs.filter((run) => run.job === this.job) : runs;
    if (!mine.length) return;
    if (!this.isLoaded) this.early.push(...mine);
    const fresh = new Map();
    for (const run of mine) {
      const key = runKey(run);
      if (this.runs.has(key)) this.runs.set(key, run);
      else fresh.set(key, run);
    }
    if (fresh.size) {
      // The order is newest first, so new runs come before all others.
      const all = [...[...fresh.values()].reverse().map((run) => [runKey(run), run]), ...this.runs];
      if (all.length > this.kept) all.length = this.kept;
      this.runs = new Map(all);
    }
    this.fresh += fresh.size;
    this.soon();
  }

  fresh = 0;

  soon() {
    const isWatched = this.table.matches(':hover') || this.table.contains(document.activeElement);
    // The table is redrawn less often while the pointer or the focus is in it, and while many new runs arrive.
    const pause = isWatched && this.runs.size > 30 ? 2500 : this.fresh > 20 ? 1000 : 250;
    this.timer ??= setTimeout(() => {
      this.timer = null;
      if (this.element.isConnected) this.render();
    }, pause);
  }

  choose(key) {
    this.chosen = key;
    for (const [one, row] of this.rows) setAttribute(row.element, 'aria-current', one === key ? 'true' : null);
  }

  render() {
    this.fresh = 0;
    const rows = new Map();
    let before = null;
    for (const [key, run] of this.runs) {
      const row = this.rows.get(key) ?? this.makeRow(key);
      this.fillRow(row, run);
      rows.set(key, row);
      const place = before ? before.nextSibling : this.body.firstChild;
      if (place !== row.element) this.body.insertBefore(row.element, place);
      before = row.element;
    }
    for (const [key, row] of this.rows) if (!rows.has(key)) row.element.remove();
    this.rows = rows;
    this.more.hidden = !this.next;
    this.table.hidden = !this.runs.size;
    setText(this.note, this.error ?? (this.isLoaded && !this.runs.size ? 'No run yet. Runs appear here with their outcomes and how late they were.' : ''));
    this.plot.show([...this.runs.values()].slice(0, IN_PLOT).reverse());
  }

  makeRow(key) {
    const row = {
      job: this.name && h('a', { class: 'plain whose' }), number: h('a', { class: this.name ? 'number' : '' }),
      due: h('td', { class: 'num' }), late: h('td', { class: 'num k-late' }), took: h('td', { class: 'num k-took' }),
      outcome: h('span', { class: 'chip' }), why: h('span', { class: 'why' }),
    };
    row.element = h('tr', { 'aria-current': key === this.chosen ? 'true' : null },
      h('td', { class: 'num' }, row.job, row.number), row.due, row.late, row.took, h('td', {}, row.outcome, row.why));
    return row;
  }

  fillRow(row, run) {
    if (row.run === run && !this.name) return;
    row.run = run;
    if (row.job) {
      setText(row.job, this.name(run));
      setAttribute(row.job, 'href', `#/job/${run.job}`);
    }
    const number = occurrence(run);
    const first = this.name && run.occurrence > 0 ? `occurrence ${number}` : number;
    setText(row.number, run.attempt > 1 ? `${number}, attempt ${run.attempt}` : first);
    setAttribute(row.number, 'href', this.href(run));
    setText(row.due, instant(Date.parse(run.due)));
    setText(row.late, lateness(run.latenessMs ?? run.delayMs));
    setText(row.took, lateness(took(run)));
    setText(row.outcome, run.outcome);
    setAttribute(row.outcome, 'data-outcome', run.outcome);
    setText(row.why, why(run));
    setAttribute(row.why, 'title', why(run) || null);
  }
}
