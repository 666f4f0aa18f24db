package io.delayqueue.benchmark.run;

import static io.delayqueue.benchmark.result.Measure.ASYNC_50;
import static io.delayqueue.benchmark.result.Measure.ASYNC_60;
import static io.delayqueue.benchmark.result.Measure.BURST;
import static io.delayqueue.benchmark.result.Measure.COMMIT;
import static io.delayqueue.benchmark.result.Measure.DRAIN;
import static io.delayqueue.benchmark.result.Measure.HANDLERS_2000;
import static io.delayqueue.benchmark.result.Measure.HANDLERS_512;
import static io.delayqueue.benchmark.result.Measure.HANDLERS_64;
import static io.delayqueue.benchmark.result.Measure.HANDLERS_8;
import static io.delayqueue.benchmark.result.Measure.HIGHEST_ASYNC_RATE;
import static io.delayqueue.benchmark.result.Measure.HIGHEST_RATE;
import static io.delayqueue.benchmark.result.Measure.HTTP_LONG_POLL;
import static io.delayqueue.benchmark.result.Measure.HTTP_POP;
import static io.delayqueue.benchmark.result.Measure.HTTP_PUSH;
import static io.delayqueue.benchmark.result.Measure.HTTP_RECEIVE;
import static io.delayqueue.benchmark.result.Measure.HTTP_RECEIVE_100;
import static io.delayqueue.benchmark.result.Measure.HTTP_SEND;
import static io.delayqueue.benchmark.result.Measure.HTTP_SEND_100;
import static io.delayqueue.benchmark.result.Measure.INSTRUCTIONS;
import static io.delayqueue.benchmark.result.Measure.LAG;
import static io.delayqueue.benchmark.result.Measure.LATENESS;
import static io.delayqueue.benchmark.result.Measure.LATENESS_20;
import static io.delayqueue.benchmark.result.Measure.LATENESS_50;
import static io.delayqueue.benchmark.result.Measure.MEMORY;
import static io.delayqueue.benchmark.result.Measure.SEND;
import static io.delayqueue.benchmark.result.Measure.SEND_16_SHARDS;
import static io.delayqueue.benchmark.result.Measure.SEND_2;
import static io.delayqueue.benchmark.result.Measure.SEND_4_SHARDS;
import static io.delayqueue.benchmark.result.Measure.SEND_64;
import static io.delayqueue.benchmark.result.Measure.SEND_ALL_1;
import static io.delayqueue.benchmark.result.Measure.SEND_ALL_8;
import static io.delayqueue.benchmark.result.Measure.VIRTUAL_2000;
import static io.delayqueue.benchmark.result.Measure.VIRTUAL_64;
import static io.delayqueue.benchmark.result.Party.BULLMQ;
import static io.delayqueue.benchmark.result.Party.FLOOR_JEDIS;
import static io.delayqueue.benchmark.result.Party.FLOOR_LETTUCE;
import static io.delayqueue.benchmark.result.Party.JAVA;
import static io.delayqueue.benchmark.result.Party.LISTENER;
import static io.delayqueue.benchmark.result.Party.NO_MESSAGE;
import static io.delayqueue.benchmark.result.Party.NO_OUTBOX;
import static io.delayqueue.benchmark.result.Party.ORIGINAL;
import static io.delayqueue.benchmark.result.Party.OUTBOX;
import static io.delayqueue.benchmark.result.Party.OUTBOX_GIVEN_IDS;
import static io.delayqueue.benchmark.result.Party.PRODUCT;
import static io.delayqueue.benchmark.result.Party.REDISSON;
import static io.delayqueue.benchmark.result.Party.REDISSON_POLLING;
import static io.delayqueue.benchmark.result.Party.SPRING_BOOT;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The stages of a run.
 *
 * @param name the name of the profile
 * @param warmUp the time for which each party is warmed up in its own process before it is measured
 * @param stages the stages, which run one after the other, each with a new Redis
 */
public record Profile(String name, Duration warmUp, List<Stage> stages) {

    /** The compiler of a JVM takes longer for a web server than for anything else that is measured. */
    private static final int WARM_UPS_OVER_HTTP = 12;

    private static final int MEASURED_BYTES = 100_000;
    private static final int COUNTED_OPERATIONS = 500;
    private static final Duration WATCHED = Duration.ofSeconds(10);

    /** Returns a profile by name: {@code full}, which takes 110 minutes, or {@code quick}, which takes 5 minutes. */
    public static Profile named(String name, int rounds) {
        return switch (name) {
            case "full" -> full(rounds);
            case "quick" -> quick();
            default ->
                throw new IllegalArgumentException("--profile must be 'full' or 'quick', but was '" + name + "'");
        };
    }

    /** The time for which a party is warmed up before a measurement. */
    Duration warmUp(Measure measure) {
        return measure.overHttp() ? warmUp.multipliedBy(WARM_UPS_OVER_HTTP) : warmUp;
    }

    /** This profile, restricted to some measurements. */
    public Profile only(Set<Measure> measures) {
        return filtered(
                entry -> measures.contains(entry.measure()),
                stage -> stage.scheduled() > 0 && measures.contains(MEMORY));
    }

    /** This profile, restricted to stages with some number of scheduled messages. */
    public Profile onlyScheduled(Set<Integer> scheduled) {
        return new Profile(
                name,
                warmUp,
                stages.stream()
                        .filter(stage -> scheduled.contains(stage.scheduled()))
                        .toList());
    }

    /** This profile without a party. */
    public Profile without(Party party) {
        return filtered(entry -> entry.party() != party, stage -> stage.scheduled() > 0);
    }

    private Profile filtered(Predicate<Entry> which, Predicate<Stage> empty) {
        List<Stage> kept = new ArrayList<>();
        for (Stage stage : stages) {
            List<Entry> entries = stage.entries().stream().filter(which).toList();
            if (!entries.isEmpty() || empty.test(stage)) {
                kept.add(new Stage(stage.scheduled(), entries));
            }
        }
        return new Profile(name, warmUp, kept);
    }

    /** Whether a party is measured. */
    public boolean has(Party party) {
        return entries().anyMatch(entry -> entry.party() == party);
    }

    /** Whether one of some measurements is part of this profile. */
    public boolean has(Predicate<Measure> measures) {
        return entries().anyMatch(entry -> measures.test(entry.measure()));
    }

    /** This profile without some measurements. */
    public Profile without(Predicate<Measure> measures) {
        return filtered(entry -> !measures.test(entry.measure()), stage -> stage.scheduled() > 0);
    }

    private Stream<Entry> entries() {
        return stages.stream().flatMap(stage -> stage.entries().stream());
    }

    private static Profile full(int rounds) {
        int fewer = fewer(rounds);
        List<Entry> entries = new ArrayList<>();
        for (Party party : List.of(FLOOR_LETTUCE, FLOOR_JEDIS, PRODUCT)) {
            entries.addAll(hotPaths(party, rounds));
        }
        for (Measure measure : List.of(SEND_2, SEND_64)) {
            entries.add(Entry.of(measure, FLOOR_LETTUCE, 120_000, rounds));
            entries.add(Entry.of(measure, PRODUCT, 120_000, rounds));
        }
        entries.add(Entry.of(SEND, REDISSON, 120_000, rounds));
        entries.add(Entry.of(SEND_ALL_1, REDISSON, 120_000, rounds));
        entries.add(Entry.of(SEND_ALL_8, REDISSON, 120_000, rounds));
        entries.add(Entry.of(DRAIN, REDISSON, 60_000, rounds));
        entries.add(Entry.of(SEND, BULLMQ, 60_000, fewer));
        entries.add(Entry.of(SEND_ALL_1, BULLMQ, 100_000, fewer));
        entries.add(Entry.of(SEND_ALL_8, BULLMQ, 100_000, fewer));
        entries.add(Entry.of(DRAIN, BULLMQ, 60_000, fewer));
        entries.add(Entry.of(LATENESS, BULLMQ, 8_000, fewer));
        entries.add(Entry.of(HIGHEST_RATE, BULLMQ, 0, fewer));
        entries.add(Entry.of(SEND, JAVA, 500_000, fewer));
        entries.add(Entry.of(DRAIN, JAVA, 500_000, fewer));
        for (Party party : List.of(PRODUCT, REDISSON, JAVA)) {
            entries.add(Entry.of(LATENESS, party, 8_000, rounds));
        }
        entries.add(Entry.of(LAG, PRODUCT, 8_000, rounds));
        for (Measure measure : List.of(SEND_4_SHARDS, SEND_16_SHARDS)) {
            entries.add(Entry.of(measure, PRODUCT, 120_000, rounds));
        }
        for (Party party : List.of(PRODUCT, REDISSON)) {
            entries.add(Entry.of(LATENESS_20, party, 160_000, rounds));
            entries.add(Entry.of(HIGHEST_RATE, party, 0, fewer));
            entries.add(Entry.of(HIGHEST_ASYNC_RATE, party, 0, fewer));
        }
        entries.add(Entry.of(LATENESS_50, PRODUCT, 400_000, rounds));
        entries.add(Entry.of(ASYNC_50, PRODUCT, 250_000, rounds));
        entries.add(Entry.of(ASYNC_60, PRODUCT, 300_000, rounds));
        entries.add(Entry.of(HANDLERS_8, PRODUCT, 8_000, rounds));
        entries.add(Entry.of(HANDLERS_64, PRODUCT, 64_000, rounds));
        entries.add(Entry.of(HANDLERS_512, PRODUCT, 200_000, rounds));
        entries.add(Entry.of(HANDLERS_2000, PRODUCT, 200_000, rounds));
        entries.add(Entry.of(VIRTUAL_64, PRODUCT, 64_000, rounds));
        entries.add(Entry.of(VIRTUAL_2000, PRODUCT, 200_000, rounds));
        entries.add(Entry.idle(PRODUCT, WATCHED, rounds));
        entries.add(Entry.idle(REDISSON, WATCHED, rounds));
        entries.add(Entry.idle(REDISSON_POLLING, WATCHED, rounds));
        entries.add(Entry.of(BURST, PRODUCT, 100_000, rounds));
        entries.add(Entry.of(HTTP_SEND, PRODUCT, 40_000, rounds));
        entries.add(Entry.of(HTTP_SEND_100, PRODUCT, 100_000, rounds));
        entries.add(Entry.of(HTTP_RECEIVE, PRODUCT, 20_000, rounds));
        entries.add(Entry.of(HTTP_RECEIVE_100, PRODUCT, 40_000, rounds));
        entries.add(Entry.of(HTTP_LONG_POLL, PRODUCT, 4_000, rounds));
        for (Party party : List.of(PRODUCT, ORIGINAL)) {
            entries.add(Entry.of(HTTP_PUSH, party, 40_000, rounds));
            entries.add(Entry.of(HTTP_POP, party, 20_000, rounds));
        }
        for (Party party : List.of(NO_MESSAGE, NO_OUTBOX, OUTBOX, OUTBOX_GIVEN_IDS)) {
            entries.add(Entry.of(COMMIT, party, 20_000, rounds));
        }
        for (Party party : List.of(PRODUCT, REDISSON)) {
            entries.add(Entry.of(INSTRUCTIONS, party, COUNTED_OPERATIONS, 1));
        }
        for (Party party : List.of(PRODUCT, REDISSON, BULLMQ)) {
            entries.add(Entry.of(MEMORY, party, MEASURED_BYTES, 1));
        }
        for (Party party : List.of(SPRING_BOOT, PRODUCT, LISTENER)) {
            entries.add(Entry.startUp(party, rounds));
        }
        List<Stage> stages = new ArrayList<>();
        stages.add(new Stage(0, entries));
        stages.add(growth(10_000, rounds));
        stages.add(new Stage(1_000_000, List.of(Entry.of(LATENESS, PRODUCT, 8_000, rounds))));
        stages.add(growth(5_000_000, rounds));
        return new Profile("full", Duration.ofSeconds(5), stages);
    }

    private static List<Entry> hotPaths(Party party, int rounds) {
        return List.of(
                Entry.of(SEND, party, 120_000, rounds),
                Entry.of(SEND_ALL_1, party, 400_000, rounds),
                Entry.of(SEND_ALL_8, party, 400_000, rounds),
                Entry.of(DRAIN, party, 300_000, rounds));
    }

    /**
     * Uses only the floor of Jedis to save time. It is faster than that of Lettuce, except slightly slower for single
     * sends.
     */
    private static Stage growth(int scheduled, int rounds) {
        List<Entry> entries = new ArrayList<>();
        for (Party party : List.of(FLOOR_JEDIS, PRODUCT)) {
            entries.addAll(hotPaths(party, fewer(rounds)));
        }
        return new Stage(scheduled, entries);
    }

    /** The number of rounds for what no goal concerns, or only as a change between stages. */
    private static int fewer(int rounds) {
        return Math.min(rounds, 3);
    }

    /** A short profile that checks that everything works. Its counts are meaningful, its times are not. */
    private static Profile quick() {
        List<Entry> entries = new ArrayList<>();
        for (Measure measure : List.of(SEND, SEND_ALL_8, DRAIN)) {
            for (Party party : List.of(FLOOR_LETTUCE, PRODUCT, REDISSON)) {
                entries.add(Entry.of(measure, party, 10_000, 1));
            }
        }
        for (Party party : List.of(FLOOR_JEDIS, JAVA)) {
            entries.add(Entry.of(DRAIN, party, 10_000, 1));
        }
        entries.add(Entry.of(SEND_ALL_1, PRODUCT, 10_000, 1));
        entries.add(Entry.of(SEND_4_SHARDS, PRODUCT, 10_000, 1));
        entries.add(Entry.of(LAG, PRODUCT, 2_000, 1));
        entries.add(Entry.of(LATENESS_20, PRODUCT, 20_000, 1));
        entries.add(Entry.of(ASYNC_50, PRODUCT, 20_000, 1));
        entries.add(Entry.of(HANDLERS_64, PRODUCT, 6_400, 1));
        entries.add(Entry.of(BURST, PRODUCT, 20_000, 1));
        entries.add(Entry.of(HTTP_RECEIVE_100, PRODUCT, 2_000, 1));
        entries.add(Entry.of(HTTP_LONG_POLL, PRODUCT, 200, 1));
        for (Party party : List.of(PRODUCT, ORIGINAL)) {
            entries.add(Entry.of(HTTP_POP, party, 400, 1));
        }
        for (Party party : List.of(NO_OUTBOX, OUTBOX, OUTBOX_GIVEN_IDS)) {
            entries.add(Entry.of(COMMIT, party, 1_000, 1));
        }
        for (Party party : List.of(SPRING_BOOT, PRODUCT, LISTENER)) {
            entries.add(Entry.startUp(party, 1));
        }
        entries.add(Entry.of(INSTRUCTIONS, PRODUCT, COUNTED_OPERATIONS, 1));
        entries.add(Entry.idle(PRODUCT, Duration.ofSeconds(10), 1));
        List<Entry> grown = List.of(Entry.of(SEND_ALL_8, PRODUCT, 10_000, 1), Entry.of(DRAIN, PRODUCT, 10_000, 1));
        return new Profile("quick", Duration.ofMillis(200), List.of(new Stage(0, entries), new Stage(10_000, grown)));
    }
}
