package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender;
import io.delayqueue.benchmark.contender.PollLog;
import io.delayqueue.benchmark.contender.PollLog.Poll;
import io.delayqueue.benchmark.result.Quantity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.resps.Slowlog;

/**
 * Divides the lateness of the product at 1,000 messages a second into parts. The store is observed and Redis logs the
 * durations of scripts, so that the lateness may be greater than that of {@link LatenessTrial}.
 */
final class LagTrial implements AutoCloseable {

    private static final int RATE = 1_000;
    private static final double MICROS_PER_MILLI = 1e3;

    /** Shorter commands, most of them inside scripts, are not logged. */
    private static final String LOGGED_MICROS = "10";

    /** Position of the sequence number among the arguments of a poll, after the consumer's name. */
    private static final int SEQUENCE = 5;

    private static final int LOG_LENGTH = 200_000;

    private final TrialSpec spec;
    private final PollLog polls;
    private final LatenessTrial trial;
    private final Jedis jedis;

    LagTrial(TrialSpec spec, Contender contender) {
        this.spec = spec;
        this.polls = contender.polls();
        this.trial = new LatenessTrial(spec, contender, RATE);
        this.jedis = new Jedis("127.0.0.1", spec.port());
    }

    Map<Quantity, Double> run() {
        jedis.configSet("slowlog-log-slower-than", LOGGED_MICROS);
        jedis.configSet("slowlog-max-len", Integer.toString(LOG_LENGTH));
        Tally tally = trial.play();
        jedis.configSet("slowlog-log-slower-than", "-1");
        Map<String, Double> scripts = scripts();
        int warmUp = (int) (spec.warmUp().toMillis() * RATE / 1_000);
        List<double[]> parts = new ArrayList<>();
        for (int i = warmUp; i < warmUp + spec.messages(); i++) {
            Poll poll = polls.of(Payloads.of(i));
            if (poll != null) {
                parts.add(parts((double) tally.due(i), tally.late(i), poll, scripts.getOrDefault(poll.request(), 0.0)));
            }
        }
        Map<Quantity, Double> values = new HashMap<>(trial.results(tally));
        parts.sort(Comparator.comparingDouble(LagTrial::sum));
        int count = parts.size();
        means(parts.subList(2 * count / 5, 3 * count / 5), Quantity.LAG, values);
        means(parts.subList(99 * count / 100, count), Quantity.LAG_LATEST, values);
        return values;
    }

    /** The parts of one message in the order of the quantities, whose sum is its lateness, in milliseconds. */
    private static double[] parts(double due, double late, Poll poll, double script) {
        double sent = Math.max(due, poll.sent()); // a poll may be on its way when the message becomes due
        return new double[] {
            sent - due,
            poll.started() - sent,
            script,
            poll.replied() - poll.started() - script,
            due + late - poll.replied()
        };
    }

    private static double sum(double[] parts) {
        double sum = 0;
        for (double part : parts) {
            sum += part;
        }
        return sum;
    }

    private static void means(List<double[]> messages, List<Quantity> quantities, Map<Quantity, Double> values) {
        for (int part = 0; part < quantities.size(); part++) {
            int index = part;
            values.put(
                    quantities.get(part),
                    messages.stream()
                            .mapToDouble(parts -> parts[index])
                            .average()
                            .orElse(Double.NaN));
        }
    }

    /** The durations of logged polls in milliseconds. */
    private Map<String, Double> scripts() {
        Map<String, Double> scripts = new HashMap<>();
        for (Slowlog entry : jedis.slowlogGet(LOG_LENGTH)) {
            List<String> call = entry.getArgs();
            if (call.get(0).equalsIgnoreCase("EVALSHA") && call.size() > 2) {
                int argument = 2 + Integer.parseInt(call.get(2));
                if (call.size() > argument + SEQUENCE) {
                    String request = Poll.request(call.get(argument + SEQUENCE - 1), call.get(argument + SEQUENCE));
                    scripts.put(request, entry.getExecutionTime() / MICROS_PER_MILLI);
                }
            }
        }
        return scripts;
    }

    @Override
    public void close() {
        trial.close();
        jedis.close();
    }
}
