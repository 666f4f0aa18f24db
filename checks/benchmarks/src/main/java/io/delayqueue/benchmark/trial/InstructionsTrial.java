package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender;
import io.delayqueue.benchmark.contender.Contender.Item;
import io.delayqueue.benchmark.floor.Floor;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.store.Settlement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;

/**
 * Counts the instructions that Redis executes for an operation, with callgrind: reading and parsing the call, the
 * script, writing the reply, and Redis' periodic tasks once a second. The kernel is not included. Nothing is
 * subtracted.
 *
 * <p>The topic holds messages that are due later, and its keys have the encodings of large keys.
 */
public final class InstructionsTrial implements AutoCloseable {

    /** The files, in the server's directory, to which callgrind writes. Their names end with a number from 1. */
    public static final String COUNTS = "instructions";

    private static final String TOTAL = "totals: ";
    private static final int BATCHES = 10;
    private static final int WARM_UP_PART = 5;
    private static final long TIMEOUT_SECONDS = 60;

    private final TrialSpec spec;
    private final Jedis jedis;
    private final Path counts;
    private final String process;
    private int files;
    private List<Settlement> claimed = List.of();

    InstructionsTrial(TrialSpec spec) {
        this.spec = spec;
        jedis = new Jedis("127.0.0.1", spec.port());
        counts = Path.of(jedis.configGet("dir").get("dir"), COUNTS);
        process = jedis.info("server")
                .lines()
                .filter(line -> line.startsWith("process_id:"))
                .map(line -> line.substring(line.indexOf(':') + 1))
                .findFirst()
                .orElseThrow();
    }

    Map<Quantity, Double> run() {
        int warmUp = spec.messages() / WARM_UP_PART;
        if (spec.party() == Party.REDISSON) {
            try (Contender redisson = Contender.of(spec.party(), spec.port(), spec.measure())) {
                Map<Quantity, Double> ignored = ofContender(redisson, warmUp);
                return ofContender(redisson, spec.messages());
            }
        }
        try (Floor product = new Floor(Party.FLOOR_JEDIS, spec.port())) {
            Map<Quantity, Double> ignored = ofProduct(product, warmUp);
            return ofProduct(product, spec.messages());
        }
    }

    private Map<Quantity, Double> ofContender(Contender contender, int count) {
        Item item = items(1, later()).get(0);
        return Map.of(Quantity.OF_SEND, perOperation(count, () -> contender.send(item)));
    }

    private Map<Quantity, Double> ofProduct(Floor product, int count) {
        Map<Quantity, Double> values = new EnumMap<>(Quantity.class);
        String script = jedis.scriptLoad("return 1");
        values.put(Quantity.OF_SCRIPT, perOperation(count, () -> jedis.evalsha(script)));
        Item item = items(1, later()).get(0);
        values.put(Quantity.OF_SEND, perOperation(count, () -> product.send(item)));
        List<Item> batch = items(SendTrials.BATCH, later());
        values.put(Quantity.OF_SENT_IN_BATCH, perOperation(BATCHES, () -> product.sendAll(batch)) / SendTrials.BATCH);
        values.put(Quantity.OF_IDLE_POLL, perOperation(count, () -> poll(product, SendTrials.BATCH, 0, List.of())));
        sendDue(product, count);
        List<Settlement> all = new ArrayList<>();
        values.put(Quantity.OF_CLAIM, perOperation(count, () -> all.addAll(poll(product, 1, 1, List.of()))));
        values.put(
                Quantity.OF_ACKNOWLEDGE,
                perOperation(count, () -> poll(product, SendTrials.BATCH, 0, List.of(all.remove(all.size() - 1)))));
        values.put(Quantity.OF_CLAIM_AND_ACKNOWLEDGE, drain(product, count, 1));
        values.put(Quantity.OF_HANDLED_IN_BATCH, drain(product, BATCHES, SendTrials.BATCH) / SendTrials.BATCH);
        return values;
    }

    /** Counts polls that acknowledge the claims of the previous one and claim as many messages. */
    private double drain(Floor product, int polls, int claims) {
        sendDue(product, (polls + 1) * claims);
        claimed = poll(product, claims, claims, List.of());
        double count = perOperation(polls, () -> claimed = poll(product, claims, claims, claimed));
        claimed = poll(product, claims, 0, claimed);
        return count;
    }

    private static List<Settlement> poll(Floor product, int claims, int expected, List<Settlement> settlements) {
        List<Settlement> claimed = product.poll(claims, settlements);
        if (claimed.size() != expected) {
            throw new IllegalStateException("A poll claimed " + claimed.size() + " messages instead of " + expected);
        }
        return claimed;
    }

    private static void sendDue(Floor product, int count) {
        List<Item> items = items(count, Instant.now());
        for (int i = 0; i < count; i += SendTrials.BATCH) {
            product.sendAll(items.subList(i, Math.min(i + SendTrials.BATCH, count)));
        }
    }

    private static List<Item> items(int count, Instant dueAt) {
        return Payloads.items(count, i -> dueAt);
    }

    private static Instant later() {
        return Instant.now().plus(SendTrials.DELAY);
    }

    private double perOperation(int count, Runnable operation) {
        control("zero");
        for (int i = 0; i < count; i++) {
            operation.run();
        }
        control("dump");
        files++;
        return total(Path.of(counts + "." + files)) / count;
    }

    private static double total(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith(TOTAL))
                    .mapToDouble(line -> Double.parseDouble(line.substring(TOTAL.length())))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a command to callgrind and waits until it was executed. */
    private void control(String command) {
        try {
            Process vgdb = new ProcessBuilder("vgdb", "--pid=" + process, command)
                    .inheritIO()
                    .start();
            boolean ended = vgdb.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            vgdb.destroyForcibly();
            if (!ended || vgdb.exitValue() != 0) {
                throw new IllegalStateException("callgrind did not execute the command " + command);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        jedis.close();
    }
}
