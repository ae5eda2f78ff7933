// Keys, and the sheet that lists them. Keys of one character can be switched off (WCAG 2.2, 2.1.4), because speech
// input types them by accident. The choice is stored in the browser.

import { byId, h } from './dom.js';

const KEPT = 'apus.shortcuts';

// A field of a dialog that was just closed has the focus until the next frame, and does not count.
const isField = (element) =>
  element.matches('input:not([type=radio], [type=checkbox]), select, textarea') && !element.closest('dialog:not([open])');

export class Shortcuts {
  /**
   * `groups` are `{ title, keys: [{ key, text, run }] }`. `run` is called with the event, and may return `false` to
   * leave the key alone.
   */
  constructor(groups) {
    this.dialog = byId('help');
    this.keys = new Map(groups.flatMap((group) => group.keys.map((one) => [one.key, one])));
    this.choice = byId('help-keys');
    this.choice.checked = localStorage.getItem(KEPT) !== 'off';
    this.choice.addEventListener('change', () => localStorage.setItem(KEPT, this.choice.checked ? 'on' : 'off'));
    byId('help-list').append(...[...groups, { title: 'Always', keys: FIXED }].map(({ title, keys }) => h('section', {},
      h('h3', {}, title),
      h('dl', {}, keys.map(({ key, label, text }) => h('div', {}, h('dt', {}, h('kbd', {}, label ?? key)), h('dd', {}, text)))))));
    addEventListener('keydown', (event) => this.pressed(event));
  }

  open() {
    if (!this.dialog.open) this.dialog.showModal();
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]') || isField(event.target) || !this.choice.checked) return;
    const found = this.keys.get(event.key);
    if (!found || found.run(event) === false) return;
    event.preventDefault();
  }
}

const FIXED = [
  { label: 'Tab', text: 'Go to the next part of the page (the whole list is one part)' },
  { label: '↑ ↓ ← →', text: 'In the list: rows, and the controls of a row' },
  { label: 'Home End', text: 'In the list: the first and the last control of a row' },
  { label: 'Ctrl+Home, Ctrl+End', text: 'In the list: the first and the last job' },
  { label: 'Esc', text: 'Close the dialog or the panel' },
];
