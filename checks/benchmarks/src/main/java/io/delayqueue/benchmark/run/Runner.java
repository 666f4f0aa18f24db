package io.delayqueue.benchmark.run;

import io.delayqueue.benchmark.result.Measure;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import io.delayqueue.benchmark.result.Sample;
import io.delayqueue.benchmark.trial.TrialSpec;
import io.delayqueue.test.redis.RedisServerProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Runs the trials of a profile round by round and alternates the parties. Not thread-safe. */
public final class Runner {

    private final Profile profile;
    private final RedisServers servers;
    private final TrialProcess process;
    private final PrintStream out;
    private final Consumer<Sample> sink;
    private final List<String> violations = new ArrayList<>();
    private final int trials;
    private int done;

    /**
     * Creates the runner of one run.
     *
     * @param servers start a Redis for each stage
     * @param directory the directory for the output of trials
     * @param out receives the progress
     * @param sink receives each sample
     */
    public Runner(Profile profile, RedisServers servers, Path directory, PrintStream out, Consumer<Sample> sink) {
        this.profile = profile;
        this.servers = servers;
        this.process = new TrialProcess(directory);
        this.out = out;
        this.sink = sink;
        this.trials = profile.stages().stream().mapToInt(Stage::trials).sum();
    }

    /**
     * Runs all stages.
     *
     * @return the violated invariants
     */
    public List<String> run() throws IOException, InterruptedException {
        for (Stage stage : profile.stages()) {
            try (RedisServerProcess redis = servers.start()) {
                run(stage, redis);
            }
        }
        return Collections.unmodifiableList(violations);
    }

    private void run(Stage stage, RedisServerProcess redis) throws IOException, InterruptedException {
        if (stage.scheduled() > 0) {
            measure(Entry.of(Measure.MEMORY, Party.PRODUCT, stage.scheduled(), 1), stage, redis, 1);
        }
        for (Measure measure : Measure.values()) {
            for (int round = 1; round <= stage.rounds(); round++) {
                for (Entry entry : stage.entries()) {
                    if (entry.measure() == measure && round <= entry.rounds()) {
                        if (stage.scheduled() == 0) {
                            redis.flush();
                        }
                        if (measure == Measure.INSTRUCTIONS) {
                            try (RedisServerProcess counted = servers.startCounted(redis)) {
                                measure(entry, stage, counted, round);
                            }
                        } else {
                            measure(entry, stage, redis, round);
                        }
                    }
                }
            }
        }
    }

    private void measure(Entry entry, Stage stage, RedisServerProcess redis, int round)
            throws IOException, InterruptedException {
        Map<Quantity, Double> values = process.run(new TrialSpec(
                entry.measure(),
                entry.party(),
                redis.port(),
                entry.measure() == Measure.MEMORY ? 0 : stage.scheduled(),
                profile.warmUp(entry.measure()),
                entry.messages(),
                entry.watched()));
        Sample sample = new Sample(
                entry.measure(),
                entry.party(),
                entry.measure() == Measure.MEMORY ? entry.messages() : stage.scheduled(),
                round,
                values);
        sink.accept(sample);
        List<String> found = Invariants.violations(sample, entry);
        found.forEach(violation -> out.println("VIOLATED: " + violation));
        violations.addAll(found);
        tell(sample);
    }

    private void tell(Sample sample) {
        done++;
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "[%d/%d] %s, %s, %,d scheduled, round %d:",
                done,
                trials,
                sample.measure().title(),
                sample.party().title(),
                sample.scheduled(),
                sample.round()));
        for (Quantity quantity : new Quantity[] {
            Quantity.RATE,
            Quantity.P50,
            Quantity.P99,
            Quantity.MAX,
            Quantity.COMPLETION_P50,
            Quantity.COMPLETION_P99,
            Quantity.COMMANDS_PER_SECOND,
            Quantity.BYTES,
            Quantity.READY_AFTER
        }) {
            Double value = sample.values().get(quantity);
            if (value != null) {
                line.append(String.format(
                        Locale.ROOT,
                        value >= 1_000 ? " %s %,.0f %s" : " %s %.2f %s",
                        quantity.title(),
                        value,
                        quantity.unit()));
            }
        }
        out.println(line);
    }
}
