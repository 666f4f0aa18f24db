package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender;
import io.delayqueue.benchmark.floor.Floor;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Quantity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Main class of the JVM of a trial. */
public final class Trial {

    /** Rates per second that are tried until one is too high. */
    private static final int[] RATES = {
        1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000, 100_000,
        120_000, 140_000
    };

    private static final int WARM_UP_RATE = 5_000;
    private static final int SECONDS = 5;
    private static final double KEEPS_UP_MILLIS = 100;
    private static final double COMPLETES_MILLIS = 20;

    private Trial() {}

    /**
     * Measures.
     *
     * @param arguments a {@link TrialSpec} as JSON, and the file to which the quantities are written as JSON
     */
    public static void main(String[] arguments) {
        JsonMapper mapper = JsonMapper.builder().build();
        TrialSpec spec = mapper.readValue(arguments[0], TrialSpec.class);
        mapper.writeValue(Path.of(arguments[1]), run(spec));
        System.exit(0); // also ends threads that a client left running
    }

    private static Map<Quantity, Double> run(TrialSpec spec) {
        if (spec.measure() == Measure.INSTRUCTIONS) {
            return counting(spec);
        }
        return switch (spec.party()) {
            case FLOOR_LETTUCE, FLOOR_JEDIS -> ofFloor(spec);
            case BULLMQ -> ofBullmq(spec);
            case NO_MESSAGE, NO_OUTBOX, OUTBOX, OUTBOX_GIVEN_IDS -> ofCommits(spec);
            default -> spec.measure().overHttp() ? overHttp(spec) : ofContender(spec);
        };
    }

    private static Map<Quantity, Double> ofFloor(TrialSpec spec) {
        try (Floor floor = new Floor(spec.party(), spec.port());
                FloorTrials trials = new FloorTrials(spec, floor)) {
            return switch (spec.measure()) {
                case SEND_2, SEND, SEND_64 -> trials.send();
                case SEND_ALL_1, SEND_ALL_8 -> trials.sendAll();
                case DRAIN -> trials.drain();
                default -> throw new IllegalArgumentException("This measurement has no floor");
            };
        }
    }

    private static Map<Quantity, Double> ofBullmq(TrialSpec spec) {
        try (BullmqTrials trials = new BullmqTrials(spec)) {
            return switch (spec.measure()) {
                case SEND -> trials.send(1);
                case SEND_ALL_1, SEND_ALL_8 -> trials.send(SendTrials.BATCH);
                case DRAIN -> trials.drain();
                case LATENESS -> trials.lateness(spec, 1_000);
                case HIGHEST_RATE -> raisingLateness(spec, trials::lateness);
                case MEMORY -> trials.schedule();
                default -> throw new IllegalArgumentException("BullMQ is not measured in this way");
            };
        }
    }

    private static Map<Quantity, Double> ofCommits(TrialSpec spec) {
        try (CommitTrial trial = new CommitTrial(spec)) {
            return trial.run();
        }
    }

    private static Map<Quantity, Double> counting(TrialSpec spec) {
        try (InstructionsTrial trial = new InstructionsTrial(spec)) {
            return trial.run();
        }
    }

    private static Map<Quantity, Double> overHttp(TrialSpec spec) {
        if (spec.measure() == Measure.HTTP_LONG_POLL) {
            try (LongPollTrial trial = new LongPollTrial(spec)) {
                return trial.run();
            }
        }
        try (HttpTrials trials = new HttpTrials(spec)) {
            return trials.run();
        }
    }

    private static Map<Quantity, Double> ofContender(TrialSpec spec) {
        try (Contender contender = Contender.of(spec.party(), spec.port(), spec.measure())) {
            return switch (spec.measure()) {
                case SEND_2, SEND, SEND_64, SEND_4_SHARDS, SEND_16_SHARDS, SEND_ALL_1, SEND_ALL_8, MEMORY ->
                    sending(spec, contender);
                case DRAIN, BURST, HANDLERS_8, HANDLERS_64, HANDLERS_512, HANDLERS_2000, VIRTUAL_64, VIRTUAL_2000 ->
                    draining(spec, contender);
                case LATENESS -> measuringLateness(spec, contender, 1_000);
                case LATENESS_20 -> measuringLateness(spec, contender, 20_000);
                case LATENESS_50 -> measuringLateness(spec, contender, 50_000);
                case ASYNC_50 -> sendingAsync(spec, contender, 50_000);
                case ASYNC_60 -> sendingAsync(spec, contender, 60_000);
                case HIGHEST_ASYNC_RATE ->
                    raising(
                            spec,
                            (step, rate) -> sendingAsync(step, contender, rate),
                            Quantity.COMPLETION_P99,
                            COMPLETES_MILLIS);
                case LAG -> dividingLag(spec, contender);
                case HIGHEST_RATE -> raisingLateness(spec, (step, rate) -> measuringLateness(step, contender, rate));
                case IDLE -> idling(spec, contender);
                default -> throw new IllegalArgumentException("Queues are not measured in this way");
            };
        }
    }

    private static Map<Quantity, Double> sending(TrialSpec spec, Contender contender) {
        try (SendTrials trials = new SendTrials(spec, contender)) {
            return switch (spec.measure()) {
                case SEND_ALL_1, SEND_ALL_8 -> trials.sendAll();
                case MEMORY -> trials.schedule();
                default -> trials.send();
            };
        }
    }

    private static Map<Quantity, Double> draining(TrialSpec spec, Contender contender) {
        try (DrainTrials trials = new DrainTrials(spec, contender)) {
            return trials.run();
        }
    }

    private static Map<Quantity, Double> measuringLateness(TrialSpec spec, Contender contender, int rate) {
        try (LatenessTrial trial = new LatenessTrial(spec, contender, rate)) {
            return trial.run();
        }
    }

    private static Map<Quantity, Double> sendingAsync(TrialSpec spec, Contender contender, int rate) {
        try (AsyncSendTrial trial = new AsyncSendTrial(spec, contender, rate)) {
            return trial.run();
        }
    }

    private static Map<Quantity, Double> dividingLag(TrialSpec spec, Contender contender) {
        try (LagTrial trial = new LagTrial(spec, contender)) {
            return trial.run();
        }
    }

    /** Sends and delivers messages at a rate. */
    private interface Sustained {
        Map<Quantity, Double> run(TrialSpec spec, int rate);
    }

    private static Map<Quantity, Double> raisingLateness(TrialSpec spec, Sustained trial) {
        return raising(spec, trial, Quantity.P99, KEEPS_UP_MILLIS);
    }

    /** Raises the rate until the 99th percentile shows twice that the queue falls behind. */
    private static Map<Quantity, Double> raising(TrialSpec spec, Sustained trial, Quantity p99, double most) {
        int warmUp = WARM_UP_RATE * (int) spec.warmUp().toSeconds();
        trial.run(spec.of(Duration.ZERO, warmUp), WARM_UP_RATE);
        double highest = 0;
        for (int rate : RATES) {
            boolean first = keepsUp(spec, trial, rate, p99, most);
            if (!first && !keepsUp(spec, trial, rate, p99, most)) {
                break;
            }
            highest = rate;
        }
        return Map.of(Quantity.RATE, highest);
    }

    private static boolean keepsUp(TrialSpec spec, Sustained trial, int rate, Quantity p99, double most) {
        Double measured =
                trial.run(spec.of(Duration.ofSeconds(1), rate * SECONDS), rate).get(p99);
        return measured != null && measured <= most;
    }

    private static Map<Quantity, Double> idling(TrialSpec spec, Contender contender) {
        try (RedisMeter meter = new RedisMeter(spec.port())) {
            contender.watch(TrialSpec.IDLE_TOPICS);
            Until.passed(TrialSpec.SETTLING);
            meter.start();
            Until.passed(spec.watched());
            meter.stop();
            return Map.of(Quantity.COMMANDS_PER_SECOND, meter.total(Quantity.COMMANDS_PER_SECOND));
        }
    }
}
