/* Client of the endpoint. The messages of its errors are shown to the user. */

const READ_TIMEOUT = 10_000;
const WRITE_TIMEOUT = 120_000;
const CSRF_COOKIE = 'XSRF-TOKEN';
const CSRF_HEADER = 'X-XSRF-TOKEN';

const endpoint = document.querySelector('meta[name="delayqueue-endpoint"]').content;

/** A failed request. */
export class Rejection extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/** Requests a view, or the overview if none is given. */
export function read(view, parameters, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters || {})) {
    if (value !== null && value !== undefined) query.set(name, value);
  }
  const path = (view ? `/${view}` : '') + (query.size ? `?${query}` : '');
  const timeout = AbortSignal.timeout(READ_TIMEOUT);
  return request(path, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
}

/** Requests an action. */
export function write(action, body) {
  const headers = { 'Content-Type': 'application/json' };
  const token = cookie(CSRF_COOKIE);
  if (token) headers[CSRF_HEADER] = token;
  return request(`/${action}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(WRITE_TIMEOUT),
  });
}

/** Spring Security may keep its CSRF token in a cookie and then requires it in a header. */
function cookie(wanted) {
  const pair = document.cookie.split('; ').find((each) => each.startsWith(`${wanted}=`));
  return pair ? decodeURIComponent(pair.slice(wanted.length + 1)) : null;
}

async function request(path, options) {
  if (!endpoint) {
    throw new Rejection(
      'The endpoint “delayqueue” is not exposed: add it to management.endpoints.web.exposure.include.',
      404,
    );
  }
  let response;
  try {
    response = await fetch(endpoint + path, {
      ...options,
      cache: 'no-store',
      headers: { Accept: 'application/json', ...options.headers },
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    const late = error.name === 'TimeoutError';
    const said = late ? 'The application did not respond in time.' : 'The application does not respond.';
    throw new Rejection(options.method ? `${said} It is unknown whether the action was performed. Check the state before you repeat it.` : said, 0);
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw new Rejection(sentence(response, body, Boolean(options.method)), response.status);
}

function sentence(response, body, writing) {
  if (body && typeof body.detail === 'string' && body.detail.includes(' ')) return body.detail;
  if (response.ok || response.redirected) return 'The response was not from the endpoint. You may have to log in.';
  if (response.status === 401) return 'The application requires authentication. Log in and reload this page.';
  if (response.status === 403) {
    return writing && !cookie(CSRF_COOKIE)
      ? `You do not have permission to do this, or the CSRF token is missing: the application does not offer it in the cookie ${CSRF_COOKIE}.`
      : 'You do not have permission to do this.';
  }
  return `The application responded with status ${response.status}.`;
}
