'use strict';

/*
 * One request per second returns the whole state. Cards are updated in place, so that they keep the focus. Input of users
 * is written by textContent only.
 */
(() => {
  const POLL_MILLIS = 1000;
  const TICK_MILLIS = 200;
  const JOURNAL_ENTRIES = 100;
  const STATUS = {
    PENDING_PAYMENT: 'Waiting for payment',
    PAID: 'Paid',
    DELIVERED: 'Delivered',
    CANCELLED: 'Cancelled',
  };
  const ACTOR = { CUSTOMER: 'Customer', SHOP: 'Shop', QUEUE: 'Delayed message' };
  const SUGGESTIONS = [
    ['Teapot', '24.50'], ['Hourglass', '12.00'], ['Bonsai', '48.00'], ['Sundial', '95.00'], ['Sourdough', '6.40'],
  ];

  const byId = (id) => document.getElementById(id);
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
  const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const whole = new Intl.NumberFormat();
  const cards = new Map();
  let lastEntry = 0;
  let clockOffset = 0;
  let suggestion = 0;
  let polling = null;
  let firstState = true;
  // Incremented before and after each change: a state that was requested before a change is outdated.
  let changes = 0;

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function say(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  // ---- requests

  async function ask(method, address, body) {
    const answer = await fetch(address, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(15000),
    });
    if (!answer.ok) {
      const problem = await answer.json().catch(() => ({}));
      throw new Error(problem.detail || `The shop responded with status ${answer.status}.`);
    }
    return answer.status === 204 ? null : answer.json();
  }

  async function act(method, address, body, button) {
    if (button) button.setAttribute('aria-busy', 'true');
    changes++;
    try {
      const result = await ask(method, address, body);
      byId('problem').hidden = true;
      return result;
    } catch (error) {
      byId('problem').hidden = false;
      say(byId('problem'), error instanceof TypeError ? 'The shop does not respond.' : error.message);
      return null;
    } finally {
      changes++;
      if (button) button.removeAttribute('aria-busy');
      await poll();
    }
  }

  async function poll() {
    clearTimeout(polling);
    try {
      const before = changes;
      const state = await ask('GET', `page/state?after=${lastEntry}`);
      clockOffset = Date.parse(state.now) - Date.now();
      if (changes === before) show(state);
      connection('open', 'Connected');
    } catch {
      connection('lost', 'Disconnected, retrying');
      // After a restart, the journal of the shop may be empty.
      lastEntry = 0;
    }
    clearTimeout(polling);
    if (!document.hidden) polling = setTimeout(poll, POLL_MILLIS);
  }

  function connection(state, text) {
    byId('connection').dataset.state = state;
    say(byId('connection'), text);
  }

  // ---- display

  function show(state) {
    const list = byId('orders');
    const present = new Set(state.orders.map((line) => line.order.id));
    for (const [id, card] of cards) {
      if (!present.has(id)) {
        card.root.remove();
        cards.delete(id);
      }
    }
    state.orders.forEach((line, index) => {
      let card = cards.get(line.order.id);
      if (!card) {
        card = newCard(line.order);
        cards.set(line.order.id, card);
        list.insertBefore(card.root, list.children[index] || null);
      }
      update(card, line);
    });
    byId('no-orders').hidden = state.orders.length > 0;
    for (const chosen of [`#merchant [value="${state.merchant}"]`, `#crowd [value="${state.crowd}"]`]) {
      const radio = document.querySelector(chosen);
      if (!radio.checked) radio.checked = true;
    }
    for (const profile of ['http', 'forward']) {
      const on = state.profiles.includes(profile);
      byId(`${profile}-on`).hidden = !on;
      byId(`${profile}-off`).hidden = on;
    }
    const counts = Object.keys(STATUS).filter((status) => state.simulated[status]);
    byId('simulated').hidden = counts.length === 0;
    say(byId('simulated'), `So far: ${counts.map((status) =>
      `${STATUS[status].toLowerCase()} ${whole.format(state.simulated[status])}`).join(', ')}. The dashboard shows their messages.`);
    record(state.journal);
    tick();
  }

  function newCard(order) {
    const address = `orders/${encodeURIComponent(order.id)}`;
    const card = {
      root: element('li', 'card new'),
      pill: element('span', 'pill'),
      track: element('div', 'track'),
      bar: element('div', 'bar'),
      left: element('p', 'left'),
      say: element('p', 'say'),
      main: element('button', 'primary'),
      more: element('button', '', 'More time'),
      stars: element('span', 'stars'),
      failure: element('p', 'failure'),
      longest: 0,
    };
    const title = element('h3', '', order.item);
    const actions = element('div', 'actions');
    const texts = element('div', 'texts');
    card.root.tabIndex = -1;
    card.track.append(card.bar);
    texts.append(card.left, card.say);
    for (let stars = 1; stars <= 5; stars++) {
      const star = element('button', '', `${stars}★`);
      star.setAttribute('aria-label', `Review ${order.item} with ${stars} of 5 stars`);
      star.addEventListener('click', () => act('POST', `${address}/review`, { stars }, star));
      card.stars.append(star);
    }
    card.main.addEventListener('click', () => {
      if (card.action) act('POST', `${address}/${card.action.to}`, card.action.body, card.main);
    });
    card.more.setAttribute('aria-label', `More time: ${order.item}`);
    card.more.addEventListener('click', () => act('POST', `${address}/postpone`, undefined, card.more));
    actions.append(texts, card.stars, card.more, card.main);
    card.root.append(title, card.pill, meta(order), card.track, card.failure, actions);
    return card;
  }

  function meta(order) {
    const placed = time.format(new Date(order.createdAt));
    return element('p', 'meta', `${money.format(order.amount)} · ${placed} · ${order.id.slice(0, 8)}`);
  }

  function update(card, line) {
    const { order, notice, review } = line;
    const dead = Boolean(notice && notice.status === 'DEAD');
    card.root.dataset.status = order.status;
    say(card.pill, STATUS[order.status]);
    card.until = null;
    if (order.status === 'PENDING_PAYMENT') {
      card.until = Date.parse(order.cancelAt);
      card.longest = Math.max(card.longest, card.until - Date.parse(order.createdAt));
      card.waiting = 'Cancelled';
    } else if (review && review.stars === null) {
      card.until = Date.parse(review.reviewAt);
      card.waiting = 'Reviewed automatically';
    }
    say(card.say, sentence(order, notice, review));
    say(card.failure, dead ? `Dead letter: ${notice.failure}` : '');
    keepFocus(card, () => {
      card.failure.hidden = !dead;
      card.track.hidden = card.left.hidden = card.until === null;
      card.stars.hidden = !(review && review.stars === null);
      card.more.hidden = order.status !== 'PENDING_PAYMENT';
      setAction(card, order, dead ? notice : null);
    });
  }

  function sentence(order, notice, review) {
    if (review && review.stars !== null) {
      const stars = '★'.repeat(review.stars) + '☆'.repeat(5 - review.stars);
      return `${stars} ${review.automatic ? 'automatically' : 'by the customer'}`;
    }
    if (!notice) return order.status === 'CANCELLED' ? 'Not paid in time.' : '';
    return { PENDING: 'Notifying the merchant.', ACCEPTED: 'The merchant was notified.', DEAD: 'The merchant was not notified.' }[
      notice.status];
  }

  function setAction(card, order, deadNotice) {
    card.action = null;
    if (order.status === 'PENDING_PAYMENT') {
      card.action = { label: 'Pay', to: 'pay' };
    } else if (deadNotice) {
      card.action = { label: 'Replay notice', to: 'notice/replay', body: { deadLetterId: deadNotice.deadLetterId } };
    } else if (order.status === 'PAID') {
      card.action = { label: 'Deliver', to: 'deliver' };
    }
    card.main.hidden = card.action === null;
    if (card.action) {
      say(card.main, card.action.label);
      card.main.setAttribute('aria-label', `${card.action.label}: ${order.item}`);
    }
  }

  /** If the focused button is hidden, its card gets the focus instead of the page. */
  function keepFocus(card, change) {
    const focused = card.root.contains(document.activeElement) ? document.activeElement : null;
    change();
    if (focused && focused.closest('[hidden]')) card.root.focus();
  }

  function tick() {
    const now = Date.now() + clockOffset;
    for (const card of cards.values()) {
      if (card.until === null) continue;
      const left = Math.max(0, card.until - now);
      card.longest = Math.max(card.longest, left);
      say(card.left, left === 0 ? `${card.waiting} now` : `${card.waiting} in ${duration(left)}`);
      card.bar.style.transform = `scaleX(${card.longest ? left / card.longest : 0})`;
    }
  }

  function duration(millis) {
    const seconds = Math.ceil(millis / 1000);
    const days = Math.floor(seconds / 86400);
    if (days > 1) return `${days} days`;
    const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    const shown = parts[0] ? parts : parts.slice(1);
    return shown.map((part, index) => (index ? String(part).padStart(2, '0') : part)).join(':');
  }

  function record(entries) {
    const list = byId('journal');
    if (lastEntry === 0) list.replaceChildren();
    // Responses may arrive out of order.
    for (const entry of entries.filter(({ id }) => id > lastEntry)) {
      lastEntry = entry.id;
      const card = cards.get(entry.orderId);
      const name = card ? card.root.querySelector('h3').textContent : entry.orderId.slice(0, 8);
      const item = element('li');
      const about = element('div', 'meta');
      item.dataset.actor = entry.actor;
      about.append(
        element('time', '', time.format(new Date(entry.at))),
        element('span', 'actor', ACTOR[entry.actor]),
        element('span', 'about', name));
      item.append(about, element('div', '', entry.text));
      list.prepend(item);
      if (!firstState && entry.actor === 'QUEUE') say(byId('announcer'), `${name}: ${entry.text}`);
    }
    while (list.children.length > JOURNAL_ENTRIES) list.lastChild.remove();
    byId('no-journal').hidden = list.children.length > 0;
    firstState = false;
  }

  // ---- input

  function field(form, name) {
    return form.querySelector(`[name="${name}"]`);
  }

  function suggest(form) {
    [field(form, 'item').value, field(form, 'amount').value] = SUGGESTIONS[suggestion++ % SUGGESTIONS.length];
  }

  byId('new-order').addEventListener('submit', async (event) => {
    event.preventDefault();
    const form = event.target;
    const wanted = { item: field(form, 'item').value, amount: field(form, 'amount').value };
    if (await act('POST', 'orders', wanted, form.querySelector('button'))) suggest(form);
  });
  byId('merchant').addEventListener('change', (event) => act('PUT', 'merchant/behaviour', event.target.value));
  byId('crowd').addEventListener('change', (event) => act('PUT', 'crowd/size', event.target.value));
  for (const button of document.querySelectorAll('[data-demo]')) {
    button.addEventListener('click', () => act('POST', `demo/${button.dataset.demo}`, undefined, button));
  }
  document.addEventListener('visibilitychange', () => document.hidden || poll());

  suggest(byId('new-order'));
  setInterval(tick, TICK_MILLIS);
  poll();
})();
