package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender;
import io.delayqueue.benchmark.floor.Floor;
import io.delayqueue.benchmark.result.Quantity;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Main class of the JVM of a trial. */
public final class Trial {

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
        if (spec.party().isFloor()) {
            try (Floor floor = new Floor(spec.party(), spec.port());
                    FloorTrials trials = new FloorTrials(spec, floor)) {
                return switch (spec.measure()) {
                    case SEND -> trials.send();
                    case SEND_ALL_1 -> trials.sendAll(1);
                    case SEND_ALL_8 -> trials.sendAll(Contender.CONCURRENCY);
                    case DRAIN -> trials.drain();
                    case LATENESS, IDLE, BURST, MEMORY ->
                        throw new IllegalArgumentException("This measurement has no floor");
                };
            }
        }
        try (Contender contender = Contender.of(spec.party(), spec.port())) {
            return switch (spec.measure()) {
                case SEND, SEND_ALL_1, SEND_ALL_8, MEMORY -> sending(spec, contender);
                case DRAIN, BURST -> draining(spec, contender);
                case LATENESS -> measuringLateness(spec, contender);
                case IDLE -> idling(spec, contender);
            };
        }
    }

    private static Map<Quantity, Double> sending(TrialSpec spec, Contender contender) {
        try (SendTrials trials = new SendTrials(spec, contender)) {
            return switch (spec.measure()) {
                case SEND -> trials.send();
                case SEND_ALL_1 -> trials.sendAll(1);
                case SEND_ALL_8 -> trials.sendAll(Contender.CONCURRENCY);
                default -> trials.schedule();
            };
        }
    }

    private static Map<Quantity, Double> draining(TrialSpec spec, Contender contender) {
        try (DrainTrials trials = new DrainTrials(spec, contender)) {
            return trials.run();
        }
    }

    private static Map<Quantity, Double> measuringLateness(TrialSpec spec, Contender contender) {
        try (LatenessTrial trial = new LatenessTrial(spec, contender)) {
            return trial.run();
        }
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
