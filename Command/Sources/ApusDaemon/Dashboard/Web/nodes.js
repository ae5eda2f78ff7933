// The daemons that share the store, if several can.

import { api } from './api.js';
import { h, setText } from './dom.js';
import { lateness, plural } from './format.js';

// There are no events for nodes, so they are read periodically.
const PERIOD = 2000;
const STATES = { alive: 'alive', silent: 'silent', leaving: 'leaving' };

export class Nodes {
  constructor({ element, status }) {
    Object.assign(this, { element, status, timer: null, isShared: false, isConnected: false });
    this.body = h('tbody');
    this.element.append(h('table', { class: 'nodes-table', 'aria-labelledby': 'nodes-title' },
      h('thead', {}, h('tr', {},
        ['Node', 'Shards', 'Last beat', 'Lag', 'State'].map((text) => h('th', { scope: 'col' }, text)))), this.body));
    document.addEventListener('visibilitychange', () => this.soon(0));
  }

  /** Handles a change of the connection to the daemon. */
  connected(isConnected) {
    this.isConnected = isConnected;
    if (isConnected) this.load();
  }

  soon(pause) {
    clearTimeout(this.timer);
    if (this.isShared && this.isConnected && !document.hidden) this.timer = setTimeout(() => this.load(), pause);
  }

  async load() {
    try {
      const { shared, nodes } = await api.nodes();
      this.isShared = shared;
      this.element.closest('section').hidden = !shared;
      this.render(nodes);
    } catch (error) {
      if (this.isShared) setText(this.status, error.message);
    }
    this.soon(PERIOD);
  }

  render(nodes) {
    setText(this.status, plural(nodes.length, 'node'));
    this.body.replaceChildren(...nodes.map((node) => h('tr', { 'data-state': node.state },
      h('th', { scope: 'row', title: `node ${node.id}, Apus ${node.version}` }, node.name),
      h('td', { class: 'num' }, String(node.shards)),
      h('td', { class: 'num' }, `${lateness(node.beatAgeMs)} ago`),
      h('td', { class: 'num' }, node.lagMs === 0 ? '–' : lateness(node.lagMs)),
      h('td', {}, STATES[node.state] ?? node.state))));
  }
}
