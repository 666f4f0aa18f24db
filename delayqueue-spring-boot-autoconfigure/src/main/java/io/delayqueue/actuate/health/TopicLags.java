package io.delayqueue.actuate.health;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * For how long the oldest due message of each topic has been waiting: as sampled lately, and Redis is asked only for those
 * topics that have to be known and were not sampled, each by itself. Thread-safe.
 */
public final class TopicLags {

    private final Supplier<Map<String, Duration>> sampled;
    private final Map<String, SharedQuestion<Duration>> questions = new HashMap<>();

    /**
     * For topics that have to be known.
     *
     * @param sampled what is known without asking; empty without a sampler, or when its sample is too old
     * @param ask asks for a topic's, without blocking
     * @param wanted topics that have to be known
     * @param nanoTime monotonic time, ns
     */
    public TopicLags(
            Supplier<Map<String, Duration>> sampled,
            Function<String, CompletableFuture<Duration>> ask,
            Set<String> wanted,
            LongSupplier nanoTime) {
        this.sampled = sampled;
        wanted.forEach(topic -> questions.put(topic, new SharedQuestion<>(() -> ask.apply(topic), nanoTime)));
    }

    /** What is sampled, and what was answered of the rest. */
    Map<String, Duration> known() {
        Map<String, Duration> known = new TreeMap<>();
        questions.forEach((topic, question) -> question.answer().ifPresent(lag -> known.put(topic, lag)));
        known.putAll(sampled.get());
        return known;
    }

    /** Asks for what has to be known and isn't sampled; ends when that is answered, or can't be. Never fails. */
    CompletableFuture<Void> complete() {
        Set<String> known = sampled.get().keySet();
        return CompletableFuture.allOf(questions.entrySet().stream()
                        .filter(question -> !known.contains(question.getKey()))
                        .map(question -> question.getValue().ask())
                        .toArray(CompletableFuture[]::new))
                .exceptionally(unknown -> null);
    }
}
