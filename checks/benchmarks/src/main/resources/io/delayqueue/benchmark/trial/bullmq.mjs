// Drives BullMQ for the benchmark. Reads a command as a line of JSON from standard input, runs it, and writes its result
// as a line of JSON. Argument: the port of Redis.
//
// send     count, batch, senders, dueAt (ms since 1970), perMilli (messages that are due in each millisecond; 0: all),
//          until (ms since 1970; 0: until all are sent)     -> nanos, firstSecond (messages sent in the first second)
// schedule count, batch, soonest, latest (ms since 1970)     -> nanos
// consume  count, concurrency, dueAt, perMilli               -> nanos, distinct, twice, early
// lateness first (ms since 1970), batch, senders, concurrency, warmUp, count -> {} when the warm-up is sent, then
//          distinct, twice, early, p50, p99, p999, max
import {createInterface} from 'node:readline';
import {Queue, Worker} from 'bullmq';

const NAME = 'bench';
const DIGITS = 8;
const FILLING = ', and whatever else an order needs to be cancelled in time'.repeat(4).substring(0, 200 - DIGITS);
const SOONEST_MILLIS = 500;
const LATEST_MILLIS = 3000;

const connection = {host: '127.0.0.1', port: Number(process.argv[2]), maxRetriesPerRequest: null};
const queue = new Queue(NAME, {connection});

const now = () => performance.timeOrigin + performance.now();
const sleep = millis => new Promise(resolve => setTimeout(resolve, millis));

async function reached(time) {
  while (now() < time) {
    await sleep(Math.max(0, time - now()));
  }
}

function job(index, due) {
  const timestamp = Date.now();
  const opts = {timestamp, delay: Math.max(0, due - timestamp), removeOnComplete: true};
  return {name: 'm', data: String(index).padStart(DIGITS, '0') + FILLING, opts};
}

async function add(first, count, due) {
  if (count === 1) {
    const {name, data, opts} = job(first, due(first));
    await queue.add(name, data, opts);
  } else {
    await queue.addBulk(Array.from({length: count}, (_, i) => job(first + i, due(first + i))));
  }
}

/** Runs the same work concurrently, as threads do, and returns the nanoseconds. */
async function together(senders, work) {
  const started = performance.now();
  await Promise.all(Array.from({length: senders}, (_, part) => work(part)));
  return (performance.now() - started) * 1e6;
}

const dueIn = ({dueAt, perMilli}) => index => dueAt + (perMilli ? Math.floor(index / perMilli) : 0);

async function send(command) {
  const {count, batch, senders, until} = command;
  const due = dueIn(command);
  const started = now();
  let firstSecond = 0;
  const nanos = await together(senders, async part => {
    do {
      for (let i = part * batch; i < count && (!until || now() < until); i += senders * batch) {
        const size = Math.min(batch, count - i);
        await add(i, size, due);
        firstSecond += now() - started < 1000 ? size : 0;
      }
    } while (until && now() < until);
  });
  return {nanos, firstSecond};
}

async function schedule({count, batch, soonest, latest}) {
  const nanos = await together(1, async () => {
    for (let i = 0; i < count; i += batch) {
      await add(i, Math.min(batch, count - i), () => soonest + Math.floor(Math.random() * (latest - soonest)));
    }
  });
  return {nanos};
}

class Tally {
  constructor(count, due) {
    this.due = due;
    this.late = new Float64Array(count);
    this.times = new Uint8Array(count);
  }

  handled(data) {
    const index = Number.parseInt(data.substring(0, DIGITS), 10);
    this.late[index] = now() - this.due(index);
    this.times[index]++;
  }

  result() {
    const at = least => this.times.reduce((sum, times) => sum + (times >= least ? 1 : 0), 0);
    return {distinct: at(1), twice: at(2), early: this.late.filter(late => late < 0).length};
  }

  percentiles(from) {
    const sorted = this.late.slice(from).sort();
    const at = share => sorted[Math.min(sorted.length, Math.ceil(share * sorted.length)) - 1];
    return {p50: at(0.5), p99: at(0.99), p999: at(0.999), max: sorted[sorted.length - 1]};
  }
}

/** Starts a worker. The promise `done` is kept when Redis has completed the messages. */
function consumer(count, concurrency, tally) {
  const worker = new Worker(NAME, async message => tally.handled(message.data), {connection, concurrency});
  worker.on('error', failure => console.error(failure));
  let completed = 0;
  const done = new Promise(resolve => worker.on('completed', () => ++completed === count && resolve()));
  return {worker, done};
}

async function consume(command) {
  const tally = new Tally(command.count, dueIn(command));
  await reached(command.dueAt);
  const started = performance.now();
  const {worker, done} = consumer(command.count, command.concurrency, tally);
  await done;
  const nanos = (performance.now() - started) * 1e6;
  await worker.close();
  return {nanos, ...tally.result()};
}

/** A sender that falls behind skips no messages, so its backlog counts as lateness. */
async function lateness({first, batch, senders, concurrency, warmUp, count}) {
  const all = warmUp + count;
  const dues = Float64Array.from({length: all}, (_, i) => first + Math.floor(i / batch)
      + SOONEST_MILLIS + Math.floor(Math.random() * (LATEST_MILLIS - SOONEST_MILLIS)));
  const tally = new Tally(all, index => dues[index]);
  const {worker, done} = consumer(all, concurrency, tally);
  const range = (from, to) => together(senders, async part => {
    for (let i = from + part * batch; i < to; i += senders * batch) {
      await reached(first + Math.floor(i / batch));
      await add(i, batch, index => dues[index]);
    }
  });
  await range(0, warmUp);
  reply({});
  await range(warmUp, all);
  await done;
  await worker.close();
  return {...tally.result(), ...tally.percentiles(warmUp)};
}

const reply = result => process.stdout.write(JSON.stringify(result) + '\n');

const commands = {send, schedule, consume, lateness};
for await (const line of createInterface({input: process.stdin})) {
  const command = JSON.parse(line);
  reply(await commands[command.command](command));
}
process.exit(0);
