/* Talks to the endpoint. What it throws has a sentence for people. */

const READ_TIMEOUT = 10_000;
const WRITE_TIMEOUT = 120_000;
const CSRF_COOKIE = 'XSRF-TOKEN';
const CSRF_HEADER = 'X-XSRF-TOKEN';

const endpoint = document.querySelector('meta[name="delayqueue-endpoint"]').content;

/** An answer that was none. */
export class Refusal extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/** Asks: a view, or none for everything at a glance. */
export function read(view, parameters, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters || {})) {
    if (value !== null && value !== undefined) query.set(name, value);
  }
  const path = (view ? `/${view}` : '') + (query.size ? `?${query}` : '');
  const timeout = AbortSignal.timeout(READ_TIMEOUT);
  return ask(path, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
}

/** Acts. */
export function write(action, body) {
  const headers = { 'Content-Type': 'application/json' };
  const token = cookie(CSRF_COOKIE);
  if (token) headers[CSRF_HEADER] = token;
  return ask(`/${action}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(WRITE_TIMEOUT),
  });
}

/** Where Spring Security keeps its token in a cookie, it wants it back in a header. */
function cookie(wanted) {
  const pair = document.cookie.split('; ').find((each) => each.startsWith(`${wanted}=`));
  return pair ? decodeURIComponent(pair.slice(wanted.length + 1)) : null;
}

async function ask(path, options) {
  if (!endpoint) {
    throw new Refusal(
      'The endpoint “delayqueue” is not exposed: add it to management.endpoints.web.exposure.include.',
      404,
    );
  }
  let answer;
  try {
    answer = await fetch(endpoint + path, {
      ...options,
      cache: 'no-store',
      headers: { Accept: 'application/json', ...options.headers },
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    const late = error.name === 'TimeoutError';
    const said = late ? 'The application did not answer in time.' : 'The application does not answer.';
    throw new Refusal(options.method ? `${said} What was to be done is perhaps done: look before you repeat it.` : said, 0);
  }
  const body = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return body;
  throw new Refusal(sentence(answer, body), answer.status);
}

function sentence(answer, body) {
  if (body && typeof body.error === 'string' && body.error.includes(' ')) return body.error;
  if (answer.ok || answer.redirected) return 'The answer was not that of the endpoint. Perhaps you have to log in.';
  if (answer.status === 401) return 'The application wants to know who you are: log in and load this page again.';
  if (answer.status === 403) return 'You are not allowed to do this.';
  return `The application answered ${answer.status}.`;
}
