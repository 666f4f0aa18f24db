package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Topics;
import io.delayqueue.benchmark.http.HttpApplication;
import io.delayqueue.benchmark.http.HttpConnection;
import io.delayqueue.benchmark.http.HttpServer;
import io.delayqueue.benchmark.http.OriginalServer;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Measures the HTTP interfaces with clients that each keep a connection open. The product's server and the clients share
 * the process.
 */
final class HttpTrials implements AutoCloseable {

    private static final int CONNECTIONS = 8;
    private static final int BATCH = 100;
    private static final int WARM_UP_PARTS = 4;
    private static final String API = "/delayqueue/v1";
    private static final String TOPIC = API + "/topics/" + Topics.BENCH;
    private static final Pattern RECEIPT = Pattern.compile("\"receipt\":\"([^\"]*)\"");
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]*)\"");
    private static final String LATER = "30m";
    private static final int LATER_SECONDS = 1_800;

    /** Longer than the shortest delay of a push. */
    private static final Duration DUE = Duration.ofMillis(1_100);

    private final TrialSpec spec;
    private final HttpServer server;
    private final List<HttpConnection> connections = new ArrayList<>();
    private final Crew crew = new Crew(CONNECTIONS);
    private final RedisMeter meter;
    private final Remains remains;
    private final AtomicInteger numbers = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();

    HttpTrials(TrialSpec spec) {
        this.spec = spec;
        this.server =
                spec.party() == Party.ORIGINAL ? new OriginalServer(spec.port()) : new HttpApplication(spec.port());
        for (int i = 0; i < CONNECTIONS; i++) {
            connections.add(server.connect());
        }
        this.meter = new RedisMeter(spec.port());
        this.remains = new Remains(spec.port(), spec.scheduled());
    }

    Map<Quantity, Double> run() {
        return switch (spec.measure()) {
            case HTTP_SEND -> sending(1, connection -> send(connection, LATER));
            case HTTP_SEND_100 -> sending(BATCH, connection -> sendBatch(connection, LATER));
            case HTTP_PUSH -> sending(1, connection -> push(connection, LATER_SECONDS));
            case HTTP_RECEIVE -> receiving(BATCH, this::sendDueBatch, connection -> receive(connection, 1));
            case HTTP_RECEIVE_100 -> receiving(BATCH, this::sendDueBatch, connection -> receive(connection, BATCH));
            case HTTP_POP -> receiving(1, connection -> push(connection, 1), this::popAndFinish);
            default -> throw new IllegalArgumentException("This is not a measurement of HTTP");
        };
    }

    // ---- requests --------------------------------------------------------------------------------------------------

    private void send(HttpConnection connection, String delay) {
        connection.post(TOPIC + "/messages", message(delay));
    }

    private void sendDueBatch(HttpConnection connection) {
        sendBatch(connection, "0ms");
    }

    private void sendBatch(HttpConnection connection, String delay) {
        StringBuilder body = new StringBuilder("{\"messages\":[");
        for (int i = 0; i < BATCH; i++) {
            body.append(i == 0 ? "" : ",").append(message(delay));
        }
        String ignored =
                connection.post(TOPIC + "/messages/batch", body.append("]}").toString());
    }

    private String message(String delay) {
        return "{\"delay\":\"" + delay + "\",\"payloadText\":\"" + Payloads.of(numbers.getAndIncrement()) + "\"}";
    }

    private void push(HttpConnection connection, int delay) {
        int number = numbers.getAndIncrement();
        String ignored = succeeded(connection.post(
                "/push",
                "{\"topic\":\"" + Topics.BENCH + "\",\"id\":\"job-" + number + "\",\"delay\":" + delay
                        + ",\"ttr\":120,\"body\":\"" + Payloads.of(number) + "\"}"));
    }

    /** A failure has the status of a success. */
    private static String succeeded(String response) {
        if (!response.contains("\"code\":0")) {
            throw new IllegalStateException("A request failed: " + response);
        }
        return response;
    }

    /** Receives up to a number of messages, acknowledges all of them in one request, and returns their number. */
    private int receive(HttpConnection connection, int count) {
        String received = connection.post(
                API + "/receive", "{\"topics\":[\"" + Topics.BENCH + "\"],\"count\":" + count + ",\"wait\":\"100ms\"}");
        List<String> receipts = RECEIPT.matcher(received)
                .results()
                .map(receipt -> receipt.group(1))
                .toList();
        if (receipts.size() == 1) {
            connection.post(API + "/leases/" + receipts.get(0) + "/acknowledge", "");
        } else if (!receipts.isEmpty()) {
            connection.post(
                    API + "/settle",
                    receipts.stream()
                            .map(receipt -> "{\"receipt\":\"" + receipt + "\",\"action\":\"acknowledge\"}")
                            .collect(Collectors.joining(",", "{\"settlements\":[", "]}")));
        }
        return receipts.size();
    }

    /** Pops a job, finishes it, and returns the number of jobs. */
    private int popAndFinish(HttpConnection connection) {
        Matcher job = ID.matcher(succeeded(connection.post("/pop", "{\"topic\":\"" + Topics.BENCH + "\"}")));
        if (!job.find()) {
            return 0;
        }
        String ignored = succeeded(connection.post("/finish", "{\"id\":\"" + job.group(1) + "\"}"));
        return 1;
    }

    // ---- measurements ----------------------------------------------------------------------------------------------

    private Map<Quantity, Double> sending(int batch, Consumer<HttpConnection> request) {
        long started = System.nanoTime();
        while (System.nanoTime() - started <= spec.warmUp().toNanos()) {
            send(spec.messages() / WARM_UP_PARTS, batch, request);
        }
        meter.start();
        long nanos = send(spec.messages(), batch, request);
        meter.stop();
        return results(nanos, spec.messages());
    }

    private long send(int count, int batch, Consumer<HttpConnection> request) {
        return crew.run(part -> {
            for (int i = part * batch; i < count; i += CONNECTIONS * batch) {
                request.accept(connections.get(part));
            }
        });
    }

    private Map<Quantity, Double> receiving(
            int batch, Consumer<HttpConnection> send, ToIntFunction<HttpConnection> take) {
        int part = spec.messages() / WARM_UP_PARTS;
        for (long nanos = 0; nanos <= spec.warmUp().toNanos(); ) {
            fill(part, batch, send);
            nanos += takeAll(part, take);
        }
        fill(spec.messages(), batch, send);
        meter.start();
        long nanos = takeAll(spec.messages(), take);
        meter.stop();
        Map<Quantity, Double> values = results(nanos, taken.get());
        if (spec.party() == Party.PRODUCT) {
            values.put(Quantity.LEFT, (double) remains.count());
        }
        return values;
    }

    /** Sends messages and waits until they are due. */
    private void fill(int count, int batch, Consumer<HttpConnection> send) {
        send(count, batch, send);
        Until.passed(DUE);
    }

    /** Takes messages and returns the nanoseconds until the last one. Other clients may then still wait for messages. */
    private long takeAll(int count, ToIntFunction<HttpConnection> take) {
        taken.set(0);
        long started = System.nanoTime();
        AtomicLong last = new AtomicLong();
        crew.run(part -> {
            while (taken.get() < count) {
                int messages = take.applyAsInt(connections.get(part));
                taken.addAndGet(messages);
                if (messages > 0) {
                    last.accumulateAndGet(System.nanoTime() - started, Math::max);
                }
            }
        });
        return last.get();
    }

    private Map<Quantity, Double> results(long nanos, int messages) {
        Map<Quantity, Double> values = new HashMap<>(meter.perMessage(messages));
        values.put(Quantity.MESSAGES, (double) messages);
        values.put(Quantity.RATE, messages * 1e9 / nanos);
        if (spec.party() == Party.ORIGINAL) { // it runs no scripts, and not in this process
            values.keySet().removeAll(Set.of(Quantity.ROUND_TRIPS, Quantity.LONGEST_SCRIPT, Quantity.ALLOCATED));
        }
        return values;
    }

    @Override
    public void close() {
        crew.close();
        connections.forEach(HttpConnection::close);
        meter.close();
        remains.close();
        server.close();
    }
}
