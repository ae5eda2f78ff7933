// The daemon's API, /v1. The cookie that came with the page identifies the browser.

/**
 * An answer with an error: the message is for people, the code for programs. The status is 0 if there was no answer.
 */
export class APIError extends Error {
  constructor(status, code, message, retryAfter = null) {
    super(message);
    Object.assign(this, { status, code, retryAfter });
  }
}

async function ask(method, path, { body, signal, text } = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      signal,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new APIError(0, 'notRunning', 'No daemon answers.');
  }
  if (answer.ok) return text ? answer.text() : answer.status === 204 ? null : answer.json();
  const { error } = await answer.json().catch(() => ({ error: null }));
  throw new APIError(
    answer.status, error?.code ?? 'unknown', error?.message ?? `The daemon answered with HTTP ${answer.status}.`,
    Number(answer.headers.get('retry-after')) || null);
}

const query = (values) => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null && one !== undefined) parameters.append(name, one);
  }
  return parameters;
};

const job = (id) => `/v1/jobs/${encodeURIComponent(id)}`;

export const api = {
  health: () => ask('GET', '/v1/health'),
  signOut: () => ask('POST', '/sign-out'),
  nodes: () => ask('GET', '/v1/nodes'),
  jobs: (values, signal) => ask('GET', `/v1/jobs?${query(values)}`, { signal }),
  job: (id, signal) => ask('GET', job(id), { signal }),
  runs: (values, signal) => ask('GET', `/v1/runs?${query(values)}`, { signal }),
  logs: (id, occurrence, signal) => ask('GET', `${job(id)}/logs?${query({ occurrence })}`, { signal, text: true }),
  why: (id, occurrence, signal) => ask('GET', `${job(id)}/why?${query({ occurrence })}`, { signal }),
  preview: (question, signal) => ask('POST', '/v1/preview', { body: question, signal }),
  upcoming: (values, signal) => ask('GET', `/v1/upcoming?${query(values)}`, { signal }),
  submit: (submission) => ask('POST', '/v1/jobs', { body: submission }),
  suspend: (id) => ask('POST', `${job(id)}/suspend`),
  resume: (id) => ask('POST', `${job(id)}/resume`),
  run: (id) => ask('POST', `${job(id)}/run`),
  cancel: (id) => ask('DELETE', job(id)),
};
