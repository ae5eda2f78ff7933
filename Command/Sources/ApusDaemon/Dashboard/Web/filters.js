// The choice of what the list shows: a filter, a label, a search and an order; and the ended jobs that are not loaded.

import { byId, h, setText } from './dom.js';
import { count } from './format.js';
import { FILTERS, SORTS } from './store.js';

// The maximum number of labels that are offered, the most frequent ones. The search finds jobs with any label.
const LABELS = 200;

export class Filters {
  /** `chosen` is called before the list shows something else. */
  constructor({ store, toasts, chosen }) {
    Object.assign(this, { store, toasts, chosen, numbers: new Map(), typing: null, labelsShown: null });
    for (const [key, { name }] of Object.entries(FILTERS)) {
      const number = h('span', { class: 'count num' });
      this.numbers.set(key, number);
      byId('filters').append(h('label', { 'data-filter': key },
        h('input', { type: 'radio', name: 'filter', value: key, checked: key === 'open' }), h('span', {}, name, ' ', number)));
    }
    byId('sort').append(...Object.entries(SORTS).map(([value, { name }]) => h('option', { value }, name)));
    byId('filters').addEventListener('change', ({ target }) => this.view({ filter: target.value }));
    byId('sort').addEventListener('change', ({ target }) => this.view({ sort: target.value }));
    byId('label').addEventListener('change', ({ target }) => this.view({ label: target.value }));
    byId('search').addEventListener('input', () => this.searchSoon());
    byId('search-form').addEventListener('submit', (event) => event.preventDefault());
    byId('clear-search').addEventListener('click', () => this.clear());
    byId('load-older').addEventListener('click', () => this.loadOlder());
    store.addEventListener('changed', () => this.show());
    store.addEventListener('arranged', () => this.show());
  }

  view(change) {
    this.chosen();
    this.store.setView(change);
  }

  choose(filter) {
    byId('filters').querySelector(`[value=${filter}]`).click();
  }

  chooseLabel(label) {
    this.view({ label });
  }

  searchSoon() {
    clearTimeout(this.typing);
    const pause = this.store.jobs.size > 2000 ? 120 : 0;
    this.typing = setTimeout(() => this.view({ search: byId('search').value.trim().toLowerCase() }), pause);
  }

  clear() {
    byId('search').value = '';
    this.view({ search: '', label: '' });
    byId('search').focus();
  }

  async loadOlder() {
    const button = byId('load-older');
    button.disabled = true;
    try {
      await this.store.loadOlder(this.store.view.filter);
    } catch (error) {
      if (error.name !== 'AbortError') this.toasts.show({ kind: 'problem', title: 'Older jobs', text: error.message });
    }
    button.disabled = false;
  }

  show() {
    const { counts, older, view, isLoaded, hasEnded } = this.store;
    for (const [key, number] of this.numbers) {
      const isKnown = isLoaded && (hasEnded || !(key in older));
      setText(number, isKnown ? `${count(counts[key])}${older[key] ? '+' : ''}` : '');
      number.classList.toggle('some', counts[key] > 0);
    }
    byId('older').hidden = !older[view.filter];
    this.showLabels();
  }

  showLabels() {
    const { labels, labelsVersion, view } = this.store;
    const key = `${labelsVersion} ${view.label}`;
    if (this.labelsShown === key) return;
    this.labelsShown = key;
    const frequent = [...labels].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, LABELS).map(([label]) => label).sort();
    if (view.label && !frequent.includes(view.label)) frequent.unshift(view.label);
    byId('label-choice').hidden = !frequent.length;
    byId('label').replaceChildren(h('option', { value: '' }, 'All labels'), ...frequent.map((label) => h('option', { value: label }, label)));
    byId('label').value = view.label;
  }
}
