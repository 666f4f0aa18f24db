package io.delayqueue.benchmark.report;

import static io.delayqueue.benchmark.report.Numbers.change;
import static io.delayqueue.benchmark.report.Numbers.limit;
import static io.delayqueue.benchmark.report.Numbers.percent;
import static io.delayqueue.benchmark.report.Numbers.plain;
import static io.delayqueue.benchmark.report.Numbers.scheduled;
import static io.delayqueue.benchmark.report.Numbers.times;
import static io.delayqueue.benchmark.report.Numbers.withUnit;
import static io.delayqueue.benchmark.result.Party.PRODUCT;
import static io.delayqueue.benchmark.result.Quantity.RATE;

import io.delayqueue.benchmark.report.Goal.Verdict;
import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.DoubleFunction;
import java.util.function.DoublePredicate;
import java.util.function.LongConsumer;

/**
 * Compares the results of a run with the goals. The product is measured with the configuration of Spring Boot.
 *
 * <p>Goals apply to medians over the rounds, except that goals for extremes apply to each round: the maximum lateness,
 * early messages, and the longest script.
 */
final class Goals {

    private static final String GROWTH =
            "from " + Numbers.count(Limits.GROWTH_FROM) + " to " + Numbers.count(Limits.GROWTH_TO) + " scheduled";

    private final Summary summary;
    private final List<Goal> goals = new ArrayList<>();

    private Goals(Summary summary) {
        this.summary = summary;
    }

    /** All goals in the order of the measures, including unmeasured ones. */
    static List<Goal> of(Summary summary) {
        Goals goals = new Goals(summary);
        goals.ofFloor(Measure.SEND_2, Limits.SEND_OF_FLOOR);
        goals.ofFloor(Measure.SEND, Limits.SEND_OF_FLOOR);
        goals.ofFloor(Measure.SEND_64, Limits.SEND_OF_FLOOR);
        goals.timesRedisson(Measure.SEND, Limits.SEND_TIMES_REDISSON, "");
        goals.ofOneShard(Measure.SEND_4_SHARDS);
        goals.ofOneShard(Measure.SEND_16_SHARDS);
        goals.ofFloor(Measure.SEND_ALL_1, Limits.SEND_ALL_1_OF_FLOOR);
        goals.ofFloor(Measure.SEND_ALL_8, Limits.SEND_ALL_8_OF_FLOOR);
        goals.ofFloor(Measure.DRAIN, Limits.DRAIN_OF_FLOOR);
        goals.timesRedisson(Measure.DRAIN, Limits.DRAIN_TIMES_REDISSON, ", which does not acknowledge");
        goals.lateness(0);
        goals.lateness(Limits.LATENESS_SCHEDULED);
        goals.atMost(Measure.LATENESS_20, Quantity.P99, Limits.LATENESS_20_P99);
        goals.atMost(Measure.LATENESS_50, Quantity.P99, Limits.LATENESS_50_P99);
        goals.ofIdeal(Measure.HANDLERS_8);
        goals.ofIdeal(Measure.HANDLERS_64);
        goals.ofIdeal(Measure.VIRTUAL_64);
        for (Measure measure :
                List.of(Measure.HANDLERS_8, Measure.HANDLERS_64, Measure.HANDLERS_512, Measure.HANDLERS_2000)) {
            goals.inEachRound(measure, 0, Quantity.THREADS, measure.concurrency());
        }
        goals.atMost(Measure.IDLE, Quantity.COMMANDS_PER_SECOND, Limits.IDLE_COMMANDS_PER_SECOND);
        goals.cpu(Measure.SEND, Limits.CPU_SEND);
        goals.cpuWithDrain(Measure.SEND_ALL_8, Limits.CPU_SEND_ALL_AND_DRAIN);
        Limits.INSTRUCTIONS.forEach(goals::instructions);
        goals.atMost(Measure.MEMORY, Limits.MEMORY_SCHEDULED, Quantity.BYTES, Limits.BYTES);
        goals.atMost(Measure.MEMORY, Limits.MEMORY_MANY_SCHEDULED, Quantity.BYTES, Limits.BYTES);
        goals.growth(Measure.SEND);
        goals.growth(Measure.DRAIN);
        goals.growthBesideFloor(Measure.SEND_ALL_1);
        goals.growthBesideFloor(Measure.SEND_ALL_8);
        goals.burst();
        goals.startUp(PRODUCT, Limits.START_UP);
        goals.startUp(Party.LISTENER, Limits.START_UP_LISTENER);
        return List.copyOf(goals.goals);
    }

    private void ofFloor(Measure measure, double least) {
        judge(
                measure.title(),
                "≥ " + plain(least * 100) + " % of the floor",
                summary.ofFloor(measure, PRODUCT, 0),
                value -> value >= least,
                value -> percent(value) + " (" + rate(measure, PRODUCT) + " of "
                        + summary.floor(measure, 0)
                                .map(floor -> withUnit(floor.rate(), RATE) + ", "
                                        + floor.party().title())
                                .orElseThrow()
                        + ")");
    }

    private void timesRedisson(Measure measure, double least, String remark) {
        judge(
                measure.title(),
                "≥ " + plain(least) + " × Redisson" + remark,
                summary.timesOf(Party.REDISSON, measure, PRODUCT, 0),
                value -> value >= least,
                value -> times(value) + " (" + rate(measure, PRODUCT) + " to " + rate(measure, Party.REDISSON) + ")");
    }

    private void ofOneShard(Measure measure) {
        judge(
                measure.title(),
                "≥ " + plain(Limits.SHARDS_OF_ONE * 100) + " % of one shard",
                Summary.quotient(
                        summary.median(measure, PRODUCT, 0, RATE), summary.median(Measure.SEND, PRODUCT, 0, RATE)),
                value -> value >= Limits.SHARDS_OF_ONE,
                value -> percent(value) + " (" + rate(measure, PRODUCT) + " of " + rate(Measure.SEND, PRODUCT) + ")");
    }

    private void ofIdeal(Measure measure) {
        judge(
                measure.title(),
                "≥ " + plain(Limits.OF_IDEAL) + " % of the ideal rate",
                summary.median(measure, PRODUCT, 0, Quantity.OF_IDEAL),
                value -> value >= Limits.OF_IDEAL,
                value -> plain(value) + " % (" + rate(measure, PRODUCT) + ")");
    }

    private void lateness(long scheduled) {
        atMost(Measure.LATENESS, scheduled, Quantity.P50, Limits.LATENESS_P50);
        atMost(Measure.LATENESS, scheduled, Quantity.P99, Limits.LATENESS_P99);
        inEachRound(Measure.LATENESS, scheduled, Quantity.MAX, Limits.LATENESS_MAX);
        inEachRound(Measure.LATENESS, scheduled, Quantity.EARLY, Limits.EARLY);
    }

    private void cpu(Measure measure, double most) {
        judge(
                "Redis CPU: " + measure.title(),
                "≤ " + limit(most, Quantity.CPU_USER) + " per message",
                summary.cpu(measure, PRODUCT, 0),
                value -> value <= most,
                value -> withUnit(value, Quantity.CPU_USER));
    }

    private void cpuWithDrain(Measure send, double most) {
        OptionalDouble sent = summary.cpu(send, PRODUCT, 0);
        OptionalDouble drained = summary.cpu(Measure.DRAIN, PRODUCT, 0);
        judge(
                "Redis CPU: " + send.title() + ", and drain",
                "≤ " + limit(most, Quantity.CPU_USER) + " per message",
                Summary.sum(sent, drained),
                value -> value <= most,
                value -> withUnit(value, Quantity.CPU_USER) + " (" + plain(sent.orElseThrow()) + " + "
                        + plain(drained.orElseThrow()) + ")");
    }

    private void instructions(Quantity quantity, double most) {
        OptionalDouble count = summary.median(Measure.INSTRUCTIONS, PRODUCT, 0, quantity);
        judge(
                Measure.INSTRUCTIONS.title(),
                quantity.title() + " ≤ " + plain(most) + " × a script without keys",
                Summary.quotient(count, summary.median(Measure.INSTRUCTIONS, PRODUCT, 0, Quantity.OF_SCRIPT)),
                value -> value <= most,
                value -> times(value) + " (" + withUnit(count.orElseThrow(), quantity) + ")");
    }

    private void growth(Measure measure) {
        judge(
                growthTitle(measure),
                "change of the rate > " + plain(Limits.GROWTH_CHANGE * 100) + " % " + GROWTH,
                summary.change(measure, PRODUCT, Limits.GROWTH_FROM, Limits.GROWTH_TO),
                change -> change > Limits.GROWTH_CHANGE,
                Numbers::change);
    }

    private void growthBesideFloor(Measure measure) {
        OptionalDouble own = summary.change(measure, PRODUCT, Limits.GROWTH_FROM, Limits.GROWTH_TO);
        OptionalDouble floor = summary.floorChange(measure, Limits.GROWTH_FROM, Limits.GROWTH_TO);
        judge(
                growthTitle(measure),
                "change of the rate ≥ the floor's - " + plain(-Limits.GROWTH_CHANGE_BESIDE_FLOOR * 100)
                        + " percentage points " + GROWTH,
                Summary.difference(own, floor),
                value -> value >= Limits.GROWTH_CHANGE_BESIDE_FLOOR,
                value -> change(own.orElseThrow()) + ", the floor " + change(floor.orElseThrow()));
    }

    private void burst() {
        atEach(
                Measure.BURST,
                Quantity.LONGEST_SCRIPT,
                scheduled ->
                        inEachRound(Measure.BURST, scheduled, Quantity.LONGEST_SCRIPT, Limits.BURST_LONGEST_SCRIPT));
        atEach(Measure.BURST, RATE, scheduled -> {
            OptionalDouble burst = summary.median(Measure.BURST, PRODUCT, scheduled, RATE);
            judge(
                    title(Measure.BURST, scheduled),
                    "rate ≥ " + plain(Limits.BURST_OF_DRAIN * 100) + " % of drain",
                    Summary.quotient(burst, summary.median(Measure.DRAIN, PRODUCT, 0, RATE)),
                    value -> value >= Limits.BURST_OF_DRAIN,
                    value -> percent(value) + " (" + withUnit(burst.orElseThrow(), RATE) + " of "
                            + rate(Measure.DRAIN, PRODUCT) + ")");
        });
    }

    private void startUp(Party party, double most) {
        OptionalDouble own = summary.median(Measure.START_UP, party, 0, Quantity.READY_AFTER);
        OptionalDouble without = summary.median(Measure.START_UP, Party.SPRING_BOOT, 0, Quantity.READY_AFTER);
        judge(
                Measure.START_UP.title() + ", " + party.title(),
                "≤ " + limit(most, Quantity.READY_AFTER) + " more than without delayqueue",
                Summary.difference(own, without),
                value -> value <= most,
                value -> withUnit(value, Quantity.READY_AFTER) + " more (" + plain(own.orElseThrow()) + " to "
                        + withUnit(without.orElseThrow(), Quantity.READY_AFTER) + ")");
    }

    private void atMost(Measure measure, Quantity quantity, double most) {
        atEach(measure, quantity, scheduled -> atMost(measure, scheduled, quantity, most));
    }

    private void atMost(Measure measure, long scheduled, Quantity quantity, double most) {
        judge(
                title(measure, scheduled),
                quantity.title() + " ≤ " + limit(most, quantity),
                summary.median(measure, PRODUCT, scheduled, quantity),
                value -> value <= most,
                value -> withUnit(value, quantity));
    }

    private void inEachRound(Measure measure, long scheduled, Quantity quantity, double most) {
        Optional<Spread> rounds = summary.spread(measure, PRODUCT, scheduled, quantity);
        judge(
                title(measure, scheduled),
                quantity.title() + (most == 0 ? " = " : " ≤ ") + limit(most, quantity),
                rounds.map(spread -> OptionalDouble.of(spread.max())).orElse(OptionalDouble.empty()),
                value -> value <= most,
                value -> withUnit(value, quantity) + worst(rounds.orElseThrow()));
    }

    /** One goal for each measured scheduled count, or one unmeasured goal. */
    private void atEach(Measure measure, Quantity quantity, LongConsumer goal) {
        SortedSet<Long> counts = new TreeSet<>(summary.scheduled(measure, PRODUCT, quantity));
        if (counts.isEmpty()) {
            counts.add(0L);
        }
        counts.forEach(goal::accept);
    }

    private void judge(
            String title, String goal, OptionalDouble value, DoublePredicate met, DoubleFunction<String> text) {
        if (value.isEmpty()) {
            goals.add(new Goal(title, goal, Numbers.NONE, Verdict.NOT_MEASURED));
        } else {
            double number = value.getAsDouble();
            goals.add(new Goal(title, goal, text.apply(number), met.test(number) ? Verdict.MET : Verdict.NOT_MET));
        }
    }

    private String rate(Measure measure, Party party) {
        return withUnit(summary.median(measure, party, 0, RATE).orElseThrow(), RATE);
    }

    private static String worst(Spread spread) {
        return spread.min() == spread.max()
                ? ""
                : " (worst of " + spread.rounds() + " rounds; median " + plain(spread.median()) + ")";
    }

    private static String title(Measure measure, long scheduled) {
        // only lateness is measured with and without scheduled messages, so other titles omit the number
        return scheduled == 0 && measure != Measure.LATENESS
                ? measure.title()
                : measure.title() + ", " + scheduled(scheduled);
    }

    private static String growthTitle(Measure measure) {
        return "growth: " + measure.title();
    }
}
