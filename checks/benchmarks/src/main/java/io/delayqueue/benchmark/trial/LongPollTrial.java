package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Topics;
import io.delayqueue.benchmark.http.HttpApplication;
import io.delayqueue.benchmark.http.HttpConnection;
import io.delayqueue.benchmark.result.Quantity;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the lateness of messages that clients receive over HTTP. 1,000 clients wait for a message, acknowledge it and
 * wait again, each on a connection of its own. 200 messages per second become due at steady intervals. Server and clients
 * share the process.
 */
final class LongPollTrial implements AutoCloseable {

    private static final int CLIENTS = 1_000;
    private static final int MILLIS_BETWEEN = 5;
    private static final int PER_SECOND = 1_000 / MILLIS_BETWEEN;
    private static final int SOONEST_MILLIS = 500;
    private static final long STACK_BYTES = 256 * 1024;
    private static final String API = "/delayqueue/v1";
    private static final Pattern RECEIPT = Pattern.compile("\"receipt\":\"([^\"]*)\"");
    private static final Pattern PAYLOAD = Pattern.compile("\"payloadText\":\"([^\"]*)\"");

    private final TrialSpec spec;
    private final HttpApplication application;
    private final RedisMeter meter;
    private final List<HttpConnection> connections = new ArrayList<>();
    private final AtomicInteger settled = new AtomicInteger();

    LongPollTrial(TrialSpec spec) {
        this.spec = spec;
        this.application = new HttpApplication(spec.port());
        this.meter = new RedisMeter(spec.port());
    }

    Map<Quantity, Double> run() {
        int warmUp = (int) (PER_SECOND * Math.max(1, spec.warmUp().toSeconds()));
        int count = warmUp + spec.messages();
        try (HttpConnection sender = application.connect()) {
            send(sender, count, Instant.now()); // creates the topic, and starts what starts on first use
            Instant first = Instant.now().plusMillis(2 * SOONEST_MILLIS);
            long[] dues = new long[count];
            for (int i = 0; i < count; i++) {
                dues[i] = first.toEpochMilli() + (long) MILLIS_BETWEEN * i;
            }
            Tally tally = new Tally(dues);
            for (int i = 0; i < CLIENTS; i++) {
                HttpConnection connection = application.connect();
                connections.add(connection);
                Thread client = new Thread(null, () -> receive(connection, tally, count), "client-" + i, STACK_BYTES);
                client.setDaemon(true);
                client.start();
            }
            for (int i = 0; i < count; i++) {
                if (i == warmUp) {
                    meter.start();
                }
                Instant due = Instant.ofEpochMilli(dues[i]);
                Until.reached(due.minusMillis(SOONEST_MILLIS));
                send(sender, i, due);
            }
            Until.met(count + " messages were acknowledged", () -> settled.get() >= count);
            meter.stop();
            return results(tally, warmUp);
        }
    }

    private static void send(HttpConnection connection, int number, Instant due) {
        connection.post(
                API + "/topics/" + Topics.BENCH + "/messages",
                "{\"dueAt\":\"" + due + "\",\"payloadText\":\"" + Payloads.of(number) + "\"}");
    }

    /** Receives until the connection is closed. */
    private void receive(HttpConnection connection, Tally tally, int count) {
        try {
            while (true) {
                String received =
                        connection.post(API + "/receive", "{\"topics\":[\"" + Topics.BENCH + "\"],\"wait\":\"20s\"}");
                Matcher payload = PAYLOAD.matcher(received);
                Matcher receipt = RECEIPT.matcher(received);
                if (payload.find() && receipt.find()) {
                    boolean measured = Payloads.indexOf(payload.group(1)) < count;
                    if (measured) {
                        tally.handled(payload.group(1));
                    }
                    connection.post(API + "/leases/" + receipt.group(1) + "/acknowledge", "");
                    if (measured) {
                        settled.incrementAndGet();
                    }
                }
            }
        } catch (UncheckedIOException closed) {
            // at the end of the trial
        }
    }

    private Map<Quantity, Double> results(Tally tally, int warmUp) {
        Map<Quantity, Double> values = new HashMap<>(meter.perMessage(spec.messages()));
        double[] sorted = tally.sorted(warmUp);
        values.put(Quantity.P50, Tally.percentile(sorted, 0.5));
        values.put(Quantity.P99, Tally.percentile(sorted, 0.99));
        values.put(Quantity.P999, Tally.percentile(sorted, 0.999));
        values.put(Quantity.MAX, sorted[sorted.length - 1]);
        values.put(Quantity.MESSAGES, (double) tally.distinct() - warmUp);
        values.put(Quantity.TWICE, (double) tally.twice());
        values.put(Quantity.EARLY, (double) tally.early());
        return values;
    }

    @Override
    public void close() {
        connections.forEach(HttpConnection::close);
        meter.close();
        application.close();
    }
}
