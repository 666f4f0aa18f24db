package io.delayqueue.actuate.health;

import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.redis.server.ServerState;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.script.StoredFormats;
import io.delayqueue.store.script.StoredFormats.Unreadable;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Says whether the queue works: Redis runs scripts and won't remove messages, listeners get on with it, and no topic is
 * later than it may be. Thread-safe. It never blocks for longer than a second, whatever Redis does, and tells nothing of
 * any message.
 *
 * <p>{@code DOWN}: Redis doesn't answer, may evict, holds a topic that this process needs in a format that it doesn't read,
 * or a listener's steps have been failing or overdue for too long. {@code OUT_OF_SERVICE}: a topic's lag is beyond its
 * threshold, or unknown. A listener that was stopped or paused on purpose is
 * shown as such and nothing else.
 */
public final class DelayQueueHealthIndicator implements HealthIndicator {

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final int LONGEST_SENTENCE = 500;

    private final SharedQuestion<ServerState> server;
    private final Supplier<Collection<ManagedListener>> listeners;
    private final BooleanSupplier signalsHeard;
    private final TopicLags lags;
    private final StoredFormats formats;
    private final HealthSettings settings;
    private final LongSupplier nanoTime;

    /**
     * For one queue.
     *
     * @param listeners all there are now, running or not
     * @param signalsHeard whether the node hears signals, which begins with its first listener
     * @param formats in which this process found topics
     * @param nanoTime monotonic time, ns
     */
    public DelayQueueHealthIndicator(
            ServerProbe probe,
            Supplier<Collection<ManagedListener>> listeners,
            BooleanSupplier signalsHeard,
            TopicLags lags,
            StoredFormats formats,
            HealthSettings settings,
            LongSupplier nanoTime) {
        this.server = new SharedQuestion<>(probe::askAsync, nanoTime);
        this.listeners = listeners;
        this.signalsHeard = signalsHeard;
        this.lags = lags;
        this.formats = formats;
        this.settings = settings;
        this.nanoTime = nanoTime;
    }

    @Override
    public Health health() {
        long deadline = nanoTime.getAsLong() + PATIENCE.toNanos();
        CompletableFuture<ServerState> askedServer = server.ask();
        CompletableFuture<Void> askedLags = lags.complete();
        Findings findings = new Findings();
        boolean answered = describeServer(askedServer, deadline, findings);
        describeListeners(findings);
        describeTopics(askedLags, deadline, answered, findings);
        describeFormats(findings);
        return findings.health();
    }

    /** What was answered, or why nothing was. */
    private record Answer<T>(@Nullable T value, String problem) {}

    private <T> Answer<T> await(CompletableFuture<T> asked, long deadline) {
        try {
            return new Answer<>(asked.get(Math.max(0, deadline - nanoTime.getAsLong()), TimeUnit.NANOSECONDS), "");
        } catch (ExecutionException e) {
            return new Answer<>(null, sentence(e.getCause()));
        } catch (TimeoutException e) {
            return new Answer<>(null, "Redis did not answer within " + PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer<>(null, "Redis did not answer before the check was interrupted");
        }
    }

    /** Returns whether it answered. */
    private boolean describeServer(CompletableFuture<ServerState> asked, long deadline, Findings findings) {
        Map<String, Object> details = new LinkedHashMap<>();
        Answer<ServerState> answer = await(asked, deadline);
        ServerState state = answer.value();
        if (state == null) {
            findings.down(answer.problem());
        } else {
            details.put("version", state.version());
            details.put("roundTripMillis", state.roundTrip().toMillis());
            details.put("clockSkewMillis", state.clockSkew().toMillis());
            details.put("maxMemory", state.maxMemory() < 0 ? ServerState.UNKNOWN : state.maxMemory());
            details.put("maxMemoryPolicy", state.evictionPolicy());
            details.put("appendOnly", state.appendOnly().name().toLowerCase(Locale.ROOT));
            if (state.mayEvict() && !settings.allowEviction()) {
                findings.down("Redis may remove messages: its maxmemory-policy is " + state.evictionPolicy());
            }
        }
        findings.detail("redis", details);
        return state != null;
    }

    /** A topic of a newer version is that version's own matter, unless this process needs it. */
    private void describeFormats(Findings findings) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("reads", TopicRegistry.FORMAT);
        details.put("seen", List.copyOf(formats.seen()));
        Map<String, String> unreadable = new LinkedHashMap<>();
        for (Unreadable topic : formats.unreadable()) {
            unreadable.put(topic.topic(), topic.format());
            if (topic.wanted()) {
                findings.down("Topic " + topic.topic() + " is stored in format " + topic.format()
                        + ", but this version reads format " + TopicRegistry.FORMAT + " only: update this process");
            }
        }
        if (!unreadable.isEmpty()) {
            details.put("unreadable", unreadable);
        }
        findings.detail("format", details);
    }

    private void describeListeners(Findings findings) {
        Map<String, Object> described = new LinkedHashMap<>();
        boolean running = false;
        for (ManagedListener listener : listeners.get()) {
            running |= listener.isRunning();
            described.put(listener.id(), describe(listener, findings));
        }
        findings.detail("listeners", described);
        if (running) {
            findings.detail("signalsHeard", signalsHeard.getAsBoolean());
        }
    }

    private Map<String, Object> describe(ManagedListener listener, Findings findings) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("topic", listener.topic());
        boolean running = listener.isRunning();
        boolean paused = listener.isPaused() || listener.isPausedEverywhere();
        details.put("state", !running ? "stopped" : paused ? "paused" : "running");
        ListenerProgress progress = listener.progress();
        putMillis(details, "sinceStepMillis", progress.sinceSuccess());
        Duration failing = progress.failingFor();
        Throwable failure = progress.failure();
        if (running && failing != null && failure != null) {
            putMillis(details, "failingForMillis", failing);
            details.put("failure", sentence(failure));
            if (isTooLong(failing)) {
                findings.down("Listener " + listener.id() + " has been failing for "
                        + failing.truncatedTo(ChronoUnit.SECONDS) + ": " + sentence(failure));
            }
        }
        if (running && isTooLong(progress.overdueFor())) {
            putMillis(details, "overdueForMillis", progress.overdueFor());
            findings.down("The next step of listener " + listener.id() + " has been due for "
                    + progress.overdueFor().truncatedTo(ChronoUnit.SECONDS));
        }
        return details;
    }

    private boolean isTooLong(Duration time) {
        return time.compareTo(settings.maxFailing()) >= 0;
    }

    private void describeTopics(
            CompletableFuture<Void> asked, long deadline, boolean serverAnswered, Findings findings) {
        await(asked, deadline);
        Map<String, Duration> known = lags.known();
        Map<String, Object> described = new TreeMap<>();
        known.forEach((topic, lag) -> described.put(topic, describe(topic, lag, findings)));
        settings.maxLag().forEach((topic, most) -> {
            if (!known.containsKey(topic)) {
                described.put(topic, Map.of("lagMillis", ServerState.UNKNOWN, "maxLagMillis", most.toMillis()));
                if (serverAnswered) { // else that is the problem
                    findings.outOfService("The lag of topic " + topic + " is unknown, but may not exceed " + most);
                }
            }
        });
        findings.detail("topics", described);
    }

    private Map<String, Object> describe(String topic, Duration lag, Findings findings) {
        Map<String, Object> details = new LinkedHashMap<>();
        putMillis(details, "lagMillis", lag);
        Duration most = settings.maxLag().get(topic);
        putMillis(details, "maxLagMillis", most);
        if (most != null && lag.compareTo(most) > 0) {
            findings.outOfService("Topic " + topic + " lags by " + lag.truncatedTo(ChronoUnit.MILLIS)
                    + ", which is more than " + most);
        }
        return details;
    }

    private static void putMillis(Map<String, Object> details, String name, @Nullable Duration time) {
        if (time != null) {
            details.put(name, time.toMillis());
        }
    }

    /** The sentences of others may hold anything, a payload too. */
    private static String sentence(@Nullable Throwable failure) {
        boolean own = failure instanceof RedisCallException || failure instanceof TopicConflictException;
        String sentence = own && failure != null
                ? String.valueOf(failure.getMessage())
                : failure == null ? "no answer" : failure.getClass().getName();
        return sentence.length() > LONGEST_SENTENCE ? sentence.substring(0, LONGEST_SENTENCE) + "…" : sentence;
    }
}
