package io.delayqueue.benchmark.run;

import io.delayqueue.benchmark.report.Limits;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.result.Sample;
import java.util.ArrayList;
import java.util.List;

/**
 * Invariants that do not depend on the speed of the machine: each message is delivered once and not early, no message
 * remains, and the numbers of commands, round trips and instructions are within limits.
 */
final class Invariants {

    private static final int BATCH = 500;
    private static final int CALLS_PER_BATCH = 2;
    private static final double SEND_COMMANDS = 10;
    private static final double POLL_COMMANDS = 20;
    private static final double IDLE_COMMANDS_PER_SECOND = 15;
    /** Calls of a process beside its sends: it reports their number. */
    private static final double REPORTS_PER_SECOND = 1;

    private Invariants() {}

    /** The violated invariants as sentences. */
    static List<String> violations(Sample sample, Entry entry) {
        List<String> violations = new ArrayList<>();
        check(violations, sample, Quantity.MESSAGES, entry.messages(), entry.messages());
        boolean product = sample.party() == Party.PRODUCT;
        if (!product && !sample.party().isFloor() && sample.measure() != Measure.COMMIT) {
            return violations;
        }
        for (Quantity none : new Quantity[] {Quantity.EARLY, Quantity.TWICE, Quantity.LEFT}) {
            check(violations, sample, none, 0, 0);
        }
        double batches = Math.ceil((double) entry.messages() / BATCH) / Math.max(1, entry.messages());
        switch (sample.measure()) {
            case SEND_2, SEND, SEND_64, SEND_4_SHARDS, SEND_16_SHARDS -> {
                double reports = product ? REPORTS_PER_SECOND / sample.values().getOrDefault(Quantity.RATE, 1.0) : 0;
                check(violations, sample, Quantity.ROUND_TRIPS, product ? 0 : 1, 1 + reports);
                check(violations, sample, Quantity.COMMANDS, 0, SEND_COMMANDS);
            }
            case SEND_ALL_1, SEND_ALL_8 -> {
                double calls = CALLS_PER_BATCH * batches;
                check(violations, sample, Quantity.ROUND_TRIPS, batches, calls);
                check(violations, sample, Quantity.COMMANDS, 0, calls * SEND_COMMANDS + 0.01);
            }
            case DRAIN, BURST -> {
                check(violations, sample, Quantity.ROUND_TRIPS, batches, 0.1);
                double roundTrips = sample.values().getOrDefault(Quantity.ROUND_TRIPS, 0.0);
                check(violations, sample, Quantity.COMMANDS, 0, roundTrips * POLL_COMMANDS + 0.01);
            }
            case INSTRUCTIONS -> {
                double script = sample.values().getOrDefault(Quantity.OF_SCRIPT, 0.0);
                Limits.INSTRUCTIONS.forEach((quantity, most) -> check(violations, sample, quantity, 0, most * script));
            }
            case IDLE -> check(violations, sample, Quantity.COMMANDS_PER_SECOND, 0, IDLE_COMMANDS_PER_SECOND);
            default -> {}
        }
        return violations;
    }

    private static void check(List<String> violations, Sample sample, Quantity quantity, double least, double most) {
        Double value = sample.values().get(quantity);
        double slack = 1e-9;
        if (value != null && (value < least - slack || value > most + slack)) {
            violations.add(sample.measure().title() + ", " + sample.party().title() + ": " + quantity.title() + " is "
                    + value + ", but must be " + (least > 0 && least < most ? "at least " + least + " and " : "")
                    + (least < most ? "at most " : "") + most);
        }
    }
}
