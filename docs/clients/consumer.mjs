// Receives messages of a topic and handles them one at a time. Node.js 18 or later, without packages.
const { QUEUE, TOKEN, TOPIC } = process.env;
const LEASE = 30; // seconds
const receiving = new AbortController();
process.on('SIGTERM', () => receiving.abort()); // closes the connection: the queue then claims no message for it

/** Your code. An exception fails the attempt. */
async function handle(message) {
  console.log('handled', message.id);
}

/** Repeats the request until the queue has replied. A repeat is safe. */
async function post(path, body, signal) {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  for (let pause = 1; !(signal && signal.aborted); pause = Math.min(30, 2 * pause)) {
    try {
      const request = { method: 'POST', headers, body: JSON.stringify(body), signal };
      const response = await fetch(QUEUE + path, request);
      if (response.status === 200) return await response.json();
      if (response.status < 300 || response.status === 410) return null; // 410: the message is delivered again
      if (response.status < 500 && response.status !== 429) {
        console.error(path, await response.text());
        process.exit(1);
      }
    } catch (e) {
      if (signal && signal.aborted) break;
      console.error(path, e.message);
    }
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
  }
  return { messages: [] };
}

async function consume(message) {
  const lease = `/leases/${message.receipt}`;
  const extending = setInterval(() => post(`${lease}/extend`, { lease: `${LEASE}s` }), (LEASE / 3) * 1000);
  let result = ['/acknowledge', {}];
  try {
    await handle(message);
  } catch (e) {
    result = ['/retry', { delay: '10s', reason: String(e) }];
  }
  clearInterval(extending);
  await post(lease + result[0], result[1]);
}

while (!receiving.signal.aborted) {
  const receive = { topics: [TOPIC], wait: '20s', lease: `${LEASE}s` };
  const { messages } = await post('/receive', receive, receiving.signal);
  for (const message of messages) await consume(message);
}
