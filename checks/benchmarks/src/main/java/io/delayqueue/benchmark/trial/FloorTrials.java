package io.delayqueue.benchmark.trial;

import io.delayqueue.benchmark.contender.Contender.Item;
import io.delayqueue.benchmark.floor.Floor;
import io.delayqueue.benchmark.floor.Floor.Player;
import io.delayqueue.benchmark.floor.Recording;
import io.delayqueue.benchmark.result.Quantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Runs the measurements of the queues with prepared calls. */
final class FloorTrials implements AutoCloseable {

    private final TrialSpec spec;
    private final Floor floor;
    private final RedisMeter meter;
    private final Remains remains;

    FloorTrials(TrialSpec spec, Floor floor) {
        this.spec = spec;
        this.floor = floor;
        this.meter = new RedisMeter(spec.port());
        this.remains = new Remains(spec.port(), spec.scheduled());
    }

    Map<Quantity, Double> send() {
        return sending(spec.measure().senders(), floor::sends);
    }

    /** Has two calls in flight at least, because one caller may prepare a batch while Redis stores another. */
    Map<Quantity, Double> sendAll() {
        return sending(Math.max(2, spec.measure().senders()), floor::batches);
    }

    private Map<Quantity, Double> sending(int threads, Function<List<Item>, Recording> recorder) {
        Instant dueAt = Instant.now().plus(SendTrials.DELAY);
        List<Item> items = Payloads.items(spec.messages(), i -> dueAt);
        try (Crew crew = new Crew(threads)) {
            for (long warm = 0; warm <= spec.warmUp().toNanos(); ) {
                warm += play(crew, recorder.apply(items), false);
            }
            long nanos = play(crew, recorder.apply(items), true);
            Map<Quantity, Double> values = results(nanos);
            remains.removeUntil(Instant.now().plus(SendTrials.DELAY.multipliedBy(2)));
            return values;
        }
    }

    private long play(Crew crew, Recording recording, boolean metered) {
        List<Player> players = new ArrayList<>();
        for (int i = 0; i < crew.size(); i++) {
            players.add(floor.player(recording));
        }
        if (metered) {
            meter.start();
        }
        long nanos = crew.run(part -> players.get(part).play(part, crew.size()));
        if (metered) {
            meter.stop();
        }
        players.forEach(Player::close);
        return nanos;
    }

    /** Records a drain and replays it; all replays but the last one are the warm-up. */
    Map<Quantity, Double> drain() {
        Instant dueAt = Instant.now();
        Recording filling = floor.batches(Payloads.items(spec.messages(), i -> dueAt));
        try (Crew crew = new Crew(1)) {
            play(crew, filling, false);
            Recording polls = floor.drain();
            for (long warm = 0; warm <= spec.warmUp().toNanos(); ) {
                play(crew, filling, false);
                warm += play(crew, polls, false);
                floor.forgetConsumer();
            }
            play(crew, filling, false);
            long nanos = play(crew, polls, true);
            floor.forgetConsumer();
            Map<Quantity, Double> values = results(nanos);
            values.put(Quantity.LEFT, (double) remains.count());
            return values;
        }
    }

    private Map<Quantity, Double> results(long nanos) {
        Map<Quantity, Double> values = new HashMap<>(meter.perMessage(spec.messages()));
        values.remove(Quantity.ALLOCATED);
        values.put(Quantity.MESSAGES, (double) spec.messages());
        values.put(Quantity.RATE, spec.messages() * 1e9 / nanos);
        return values;
    }

    @Override
    public void close() {
        meter.close();
        remains.close();
    }
}
