// The output of a run: live while it is in progress, and the last 64 KiB of it afterwards.

import { api } from './api.js';
import { h, setAttribute, setText } from './dom.js';
import { fullTime, instant, lateness, occurrence, why } from './format.js';
import { runKey } from './store.js';

const MOST = 65_536;
const encoder = new TextEncoder();

/** Returns the bytes of a piece, which has them in base64 if they are not UTF-8. */
const bytesOf = (output) =>
  output.base64 ? Uint8Array.from(atob(output.base64), (byte) => byte.charCodeAt(0)) : encoder.encode(output.text);

/** The output of the runs in progress, since the page was opened. */
export class Outputs extends EventTarget {
  texts = new Map();
  decoders = new Map();

  add(output) {
    const key = runKey(output);
    if (!this.decoders.has(key)) this.decoders.set(key, new TextDecoder('utf-8', { ignoreBOM: true }));
    // An incomplete character is decoded with the next piece.
    const piece = this.decoders.get(key).decode(bytesOf(output), { stream: true });
    const text = (this.texts.get(key) ?? '') + piece;
    this.texts.set(key, text.length > MOST ? text.slice(-MOST) : text);
    this.dispatchEvent(new CustomEvent('output', { detail: { key, text: piece } }));
  }

  /** Forgets all output except that of these runs, because the event of a run's end may be lost. */
  keep(running) {
    for (const key of this.texts.keys()) if (!running.has(key)) this.forget(key);
  }

  /** Forgets the output of a run that has ended, which the daemon has now. */
  drop(run) {
    if (run.outcome !== 'running') this.forget(runKey(run));
  }

  forget(key) {
    this.texts.delete(key);
    this.decoders.delete(key);
  }
}

export class Log {
  constructor({ outputs, job }) {
    Object.assign(this, { outputs, job, run: null, key: null });
    this.heading = h('h3', { tabindex: '-1' });
    this.facts = h('p', { class: 'note num' });
    this.live = h('span', { class: 'chip', 'data-outcome': 'running' }, 'live');
    this.text = h('pre', { class: 'log', tabindex: '0', role: 'log', 'aria-live': 'off' });
    this.element = h(
      'section', { class: 'log-box', 'aria-label': 'The chosen run', hidden: true },
      h('header', {}, this.heading, this.live, h('a', { class: 'quiet-link', href: `#/job/${job}` }, 'Close')), this.facts, this.text);
    this.received = ({ detail }) => detail.key === this.key && this.append(detail.text);
    outputs.addEventListener('output', this.received);
  }

  close() {
    this.outputs.removeEventListener('output', this.received);
    this.controller?.abort();
  }

  /** Shows a run. `run` has at least its occurrence and its attempt; `known` is the whole run, if the page has it. */
  async show(run, known) {
    const key = run ? runKey({ job: this.job, ...run }) : null;
    if (key === this.key) return;
    this.key = key;
    this.run = known ?? null;
    this.element.hidden = !run;
    if (!run) return;
    setText(this.heading, run.occurrence > 0 ? `Occurrence ${run.occurrence}${run.attempt > 1 ? `, attempt ${run.attempt}` : ''}` : 'Run by hand');
    this.text.textContent = '';
    this.describe();
    await this.reload();
    if (this.key === key) this.element.scrollIntoView({ block: 'nearest' });
  }

  async reload() {
    if (!this.key) return;
    const { key } = this;
    const [, number, attempt] = key.split(' ').map(Number);
    this.controller?.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    try {
      const { runs } = await api.runs({ job: this.job, occurrence: number, limit: 100 }, signal);
      if (this.key !== key) return;
      this.attempts = runs;
      this.run = runs.find((run) => run.attempt === attempt) ?? this.run;
      this.describe();
      if (this.run && this.run.outcome !== 'running') await this.fetchText(signal);
      else this.replace(this.outputs.texts.get(key) ?? '');
    } catch (error) {
      if (error.name !== 'AbortError') setText(this.facts, error.message);
    }
  }

  async fetchText(signal) {
    const { key, run } = this;
    // The daemon keeps 64 KiB of the output of the last attempt that ended, and the tail of each attempt.
    const last = this.attempts?.find((one) => one.attempt > 0 && !['running', 'waiting'].includes(one.outcome));
    const text = last?.attempt === run.attempt && run.attempt > 0 ? await api.logs(this.job, run.occurrence, signal) : run.outputTail ?? '';
    if (this.key === key) this.replace(text);
  }

  ran(run) {
    if (runKey(run) !== this.key) return;
    this.run = run;
    this.describe();
    if (run.outcome !== 'running') this.reload();
  }

  describe() {
    const { run } = this;
    const isLive = run?.outcome === 'running';
    this.live.hidden = !isLive;
    setAttribute(this.text, 'aria-label', isLive ? 'What it has printed so far' : 'What it printed');
    setAttribute(this.text, 'aria-live', isLive ? 'polite' : 'off');
    if (!run) return;
    const parts = [
      `due ${instant(Date.parse(run.due))}`,
      run.latenessMs !== null && `${lateness(run.latenessMs)} late`,
      run.delayMs !== null && `${lateness(run.delayMs)} after its pause`,
      run.started && run.finished && `took ${lateness(Date.parse(run.finished) - Date.parse(run.started))}`,
      [run.outcome, why(run)].filter(Boolean).join(': '),
      this.attempts?.length > 1 && `${this.attempts.length} attempts`,
    ];
    setText(this.facts, parts.filter(Boolean).join(' · '));
    setAttribute(this.facts, 'title', run.started && `Started ${fullTime(Date.parse(run.started))}, occurrence ${occurrence(run)}`);
  }

  replace(text) {
    this.text.textContent = text;
    this.showEmpty();
    this.text.scrollTop = this.text.scrollHeight;
  }

  append(text) {
    const isAtEnd = this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 8;
    if (this.text.classList.contains('empty')) this.text.textContent = '';
    this.text.append(text);
    while (this.text.childNodes.length > 2000) this.text.firstChild.remove();
    this.showEmpty();
    if (isAtEnd) this.text.scrollTop = this.text.scrollHeight;
  }

  showEmpty() {
    const isEmpty = !this.text.textContent;
    this.text.classList.toggle('empty', isEmpty);
    if (isEmpty) this.text.textContent = this.run?.outcome === 'running' ? 'Nothing printed since this page was opened.' : 'It printed nothing.';
  }
}
