package io.delayqueue.benchmark.report;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.result.Run;
import io.delayqueue.benchmark.result.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The results of a run, summarized over its rounds. Quantities without measurements are absent; values that are not
 * finite numbers are ignored.
 *
 * <p>A ratio is the ratio of two medians. Immutable.
 */
final class Summary {

    private record Key(Measure measure, Party party, long scheduled, Quantity quantity) {}

    /** The floor with the higher median rate. */
    record Floor(Party party, double rate) {}

    private final Map<Key, Spread> spreads = new HashMap<>();
    private final int leftOut;

    Summary(Run run) {
        Map<Key, List<Double>> rounds = new HashMap<>();
        int noNumbers = 0;
        for (Sample sample : run.samples()) {
            for (Map.Entry<Quantity, Double> value : sample.values().entrySet()) {
                if (Double.isFinite(value.getValue())) {
                    Key key = new Key(sample.measure(), sample.party(), sample.scheduled(), value.getKey());
                    rounds.computeIfAbsent(key, absent -> new ArrayList<>()).add(value.getValue());
                } else {
                    noNumbers++;
                }
            }
        }
        rounds.forEach((key, values) -> spreads.put(key, Spread.of(values)));
        this.leftOut = noNumbers;
    }

    /** Number of ignored values that are not finite. */
    int leftOut() {
        return leftOut;
    }

    /** Maximum number of rounds of any measurement. */
    int rounds() {
        return spreads.values().stream().mapToInt(Spread::rounds).max().orElse(0);
    }

    Optional<Spread> spread(Measure measure, Party party, long scheduled, Quantity quantity) {
        return Optional.ofNullable(spreads.get(new Key(measure, party, scheduled, quantity)));
    }

    OptionalDouble median(Measure measure, Party party, long scheduled, Quantity quantity) {
        return spread(measure, party, scheduled, quantity)
                .map(spread -> OptionalDouble.of(spread.median()))
                .orElse(OptionalDouble.empty());
    }

    /** User and system CPU time of Redis per message in microseconds. Absent unless both are known. */
    OptionalDouble cpu(Measure measure, Party party, long scheduled) {
        return sum(
                median(measure, party, scheduled, Quantity.CPU_USER),
                median(measure, party, scheduled, Quantity.CPU_SYSTEM));
    }

    Optional<Floor> floor(Measure measure, long scheduled) {
        return Arrays.stream(Party.values())
                .filter(Party::isFloor)
                .flatMap(party ->
                        spread(measure, party, scheduled, Quantity.RATE)
                                .map(rate -> new Floor(party, rate.median()))
                                .stream())
                .max(Comparator.comparingDouble(Floor::rate));
    }

    /** Rate of a party as a fraction of the floor's rate. */
    OptionalDouble ofFloor(Measure measure, Party party, long scheduled) {
        return quotient(median(measure, party, scheduled, Quantity.RATE), floorRate(measure, scheduled));
    }

    /** Rate of a party as a multiple of another party's rate. */
    OptionalDouble timesOf(Party other, Measure measure, Party party, long scheduled) {
        return quotient(
                median(measure, party, scheduled, Quantity.RATE), median(measure, other, scheduled, Quantity.RATE));
    }

    /**
     * Change of a party's rate with more scheduled messages, as a fraction: -0.2 from 100 to 80.
     */
    OptionalDouble change(Measure measure, Party party, long from, long to) {
        return change(median(measure, party, from, Quantity.RATE), median(measure, party, to, Quantity.RATE));
    }

    /** Change of the floor's rate with more scheduled messages, as a fraction. */
    OptionalDouble floorChange(Measure measure, long from, long to) {
        return change(floorRate(measure, from), floorRate(measure, to));
    }

    OptionalDouble floorRate(Measure measure, long scheduled) {
        return floor(measure, scheduled)
                .map(floor -> OptionalDouble.of(floor.rate()))
                .orElse(OptionalDouble.empty());
    }

    /** Scheduled counts at which a measure has values. */
    SortedSet<Long> scheduled(Measure measure) {
        return scheduled(key -> key.measure() == measure);
    }

    /** Scheduled counts at which a party has values of a quantity. */
    SortedSet<Long> scheduled(Measure measure, Party party, Quantity quantity) {
        return scheduled(key -> key.measure() == measure && key.party() == party && key.quantity() == quantity);
    }

    /** Parties with any value, in their order. */
    SortedSet<Party> parties(Measure measure, long scheduled) {
        SortedSet<Party> found = new TreeSet<>();
        for (Key key : spreads.keySet()) {
            if (key.measure() == measure && key.scheduled() == scheduled) {
                found.add(key.party());
            }
        }
        return found;
    }

    /** Quantities of which any party has a value, in their order. */
    SortedSet<Quantity> quantities(Measure measure, long scheduled) {
        SortedSet<Quantity> found = new TreeSet<>();
        for (Key key : spreads.keySet()) {
            if (key.measure() == measure && key.scheduled() == scheduled) {
                found.add(key.quantity());
            }
        }
        return found;
    }

    static OptionalDouble sum(OptionalDouble one, OptionalDouble other) {
        return one.isPresent() && other.isPresent()
                ? OptionalDouble.of(one.getAsDouble() + other.getAsDouble())
                : OptionalDouble.empty();
    }

    static OptionalDouble difference(OptionalDouble one, OptionalDouble other) {
        return one.isPresent() && other.isPresent()
                ? OptionalDouble.of(one.getAsDouble() - other.getAsDouble())
                : OptionalDouble.empty();
    }

    static OptionalDouble quotient(OptionalDouble dividend, OptionalDouble divisor) {
        return dividend.isPresent() && divisor.isPresent() && divisor.getAsDouble() > 0
                ? OptionalDouble.of(dividend.getAsDouble() / divisor.getAsDouble())
                : OptionalDouble.empty();
    }

    private static OptionalDouble change(OptionalDouble before, OptionalDouble after) {
        OptionalDouble factor = quotient(after, before);
        return factor.isPresent() ? OptionalDouble.of(factor.getAsDouble() - 1) : factor;
    }

    private SortedSet<Long> scheduled(Predicate<Key> which) {
        SortedSet<Long> found = new TreeSet<>();
        for (Key key : spreads.keySet()) {
            if (which.test(key)) {
                found.add(key.scheduled());
            }
        }
        return found;
    }
}
