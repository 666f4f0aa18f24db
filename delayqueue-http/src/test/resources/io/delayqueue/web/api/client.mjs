// A client as one would be written for Node.js: sends, receives while others send, settles, and is late on purpose.
import assert from 'node:assert/strict';

const [site, token] = process.argv.slice(2);
const base = `${site}/delayqueue/v1`;
const topics = ['node orders'];
const queue = `${base}/topics/${encodeURIComponent(topics[0])}`;

async function call(method, url, body, headers = {}) {
    const response = await fetch(url, {
        method,
        headers: {Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers},
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return {status: response.status, json: text ? JSON.parse(text) : undefined, headers: response.headers};
}

const waiting = call('POST', `${base}/receive`, {topics, count: 10, wait: '20s'});
const order = {orderNo: '4711 – Grüße', lines: [1, 2.5, null, true]};
const sent = await call('POST', `${queue}/messages`, {payload: order, headers: {tags: 'vip'}}, {'Idempotency-Key': 'node-1'});
assert.equal(sent.status, 201);
const again = await call('POST', `${queue}/messages`, {payload: order, headers: {tags: 'vip'}}, {'Idempotency-Key': 'node-1'});
assert.deepEqual(again.json, sent.json);

const received = (await waiting).json.messages;
assert.equal(received.length, 1);
assert.deepEqual(received[0].payload, order);
assert.equal(received[0].headers.tags, 'vip');
const lease = `${base}/leases/${received[0].receipt}`;
assert.equal((await call('POST', `${lease}/extend`, {lease: '2m'})).status, 204);
assert.equal((await call('POST', `${lease}/acknowledge`)).status, 204);
const late = await call('POST', `${lease}/acknowledge`);
assert.equal(late.status, 410);
assert.equal(late.json.type, 'urn:delayqueue:problem:lease-lost');

const hangUp = new AbortController();
const left = fetch(`${base}/receive`, {
    method: 'POST',
    signal: hangUp.signal,
    headers: {Authorization: `Bearer ${token}`, 'Content-Type': 'application/json'},
    body: JSON.stringify({topics, wait: '30s'}),
}).catch(aborted => aborted.name);
setTimeout(() => hangUp.abort(), 300);
assert.equal(await left, 'AbortError');
await call('POST', `${queue}/messages`, {id: 'b', payload: 1});
const next = (await call('POST', `${base}/receive`, {topics, wait: '20s'})).json.messages[0];
assert.equal(next.attempt, 1);
await call('POST', `${queue}/messages`, {id: 'c', payload: 1});
const settlements = [{receipt: next.receipt, action: 'dead-letter', reason: 'of no use'}];
const last = (await call('POST', `${base}/receive`, {topics, wait: '20s', settlements})).json;
assert.equal(last.messages[0].id, 'c');
assert.equal(last.results[0].outcome, 'settled');
const ended = [{receipt: last.messages[0].receipt, action: 'acknowledge'}];
assert.equal((await call('POST', `${base}/settle`, {settlements: ended})).json.results[0].outcome, 'settled');
const deadLetters = (await call('GET', `${queue}/dead-letters`)).json.deadLetters;
assert.equal(deadLetters[0].failure.message, 'of no use');
console.log('done');
