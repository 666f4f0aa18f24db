package io.delayqueue.actuate.health;

import io.delayqueue.admin.diagnosis.Diagnosis;
import io.delayqueue.admin.diagnosis.Finding;
import io.delayqueue.admin.diagnosis.Finding.Kind;
import io.delayqueue.admin.diagnosis.Finding.Level;
import io.delayqueue.listener.ListenerProgress;
import io.delayqueue.listener.ManagedListener;
import io.delayqueue.message.DurationText;
import io.delayqueue.message.Printable;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.redis.server.ServerProbe;
import io.delayqueue.redis.server.ServerState;
import io.delayqueue.store.TopicConflictException;
import io.delayqueue.store.script.StoredFormats;
import io.delayqueue.store.script.StoredFormats.UnreadableTopic;
import io.delayqueue.store.script.TopicRegistry;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
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
 * Checks that the queue works: Redis runs scripts and does not evict messages, listeners make progress, and no topic
 * exceeds its maximum lag. Thread-safe. It blocks for at most one second, even if Redis does not respond. Its details
 * contain no data of messages.
 *
 * <p>The status is {@code DOWN} if Redis does not respond, if Redis may evict messages, if a topic that this process
 * uses is stored in a format that this version does not read, or if a listener's polls have been failing or overdue for
 * too long. The status is {@code OUT_OF_SERVICE} if a topic's lag exceeds its threshold or is unknown. It is
 * {@code DEGRADED} if there is a critical finding of {@link io.delayqueue.admin.diagnosis.QueueDiagnosis}: messages fail, are late
 * without a threshold, or have no listener. Spring Boot responds to this status with 200, and ignores it in the status
 * of the application, because the condition concerns all nodes and no restart ends it. A stopped or paused listener is
 * reported but does not affect the status.
 */
public final class DelayQueueHealthIndicator implements HealthIndicator {

    private static final Duration MAX_WAIT = Duration.ofSeconds(1);
    private static final int MAX_SENTENCE = 500;

    private final SharedCheck<ServerState> server;
    private final Supplier<Collection<ManagedListener>> listeners;
    private final BooleanSupplier signalsHeard;
    private final TopicLags lags;
    private final SharedCheck<Diagnosis> diagnosis;
    private final TopicRegistry topics;
    private final HealthSettings settings;
    private final LongSupplier nanoTime;

    /**
     * Creates an indicator.
     *
     * @param listeners supplies all current listeners, running or not
     * @param signalsHeard whether the node receives its own signals, which starts with its first listener
     * @param diagnosis finds what an operator should look at, without blocking
     * @param topics the stored formats and limits of topics that this process has seen
     * @param nanoTime monotonic time, ns
     */
    public DelayQueueHealthIndicator(
            ServerProbe probe,
            Supplier<Collection<ManagedListener>> listeners,
            BooleanSupplier signalsHeard,
            TopicLags lags,
            Supplier<CompletableFuture<Diagnosis>> diagnosis,
            TopicRegistry topics,
            HealthSettings settings,
            LongSupplier nanoTime) {
        this.server = new SharedCheck<>(probe::probe, nanoTime);
        this.listeners = listeners;
        this.signalsHeard = signalsHeard;
        this.lags = lags;
        this.diagnosis = new SharedCheck<>(diagnosis, nanoTime);
        this.topics = topics;
        this.settings = settings;
        this.nanoTime = nanoTime;
    }

    @Override
    public Health health() {
        long deadline = nanoTime.getAsLong() + MAX_WAIT.toNanos();
        CompletableFuture<ServerState> serverCheck = server.request();
        Map<String, CompletableFuture<Duration>> lagChecks = lags.request();
        CompletableFuture<Diagnosis> diagnosed = diagnosis.request();
        Findings findings = new Findings();
        boolean available = describeServer(serverCheck, deadline, findings);
        describeListeners(findings);
        describeTopics(lagChecks, deadline, available, findings);
        describe(await(diagnosed, deadline).value(), findings);
        describeFormats(findings);
        describeLimits(findings);
        return findings.health();
    }

    /** The result of a check, or why there is none. */
    private record CheckResult<T>(@Nullable T value, String problem) {}

    private <T> CheckResult<T> await(CompletableFuture<T> check, long deadline) {
        try {
            return new CheckResult<>(check.get(Math.max(0, deadline - nanoTime.getAsLong()), TimeUnit.NANOSECONDS), "");
        } catch (ExecutionException e) {
            return new CheckResult<>(null, sentence(e.getCause()));
        } catch (TimeoutException e) {
            return new CheckResult<>(null, "Redis did not respond within " + DurationText.of(MAX_WAIT));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new CheckResult<>(null, "The check was interrupted before Redis responded");
        }
    }

    /** Returns whether Redis responded. */
    private boolean describeServer(CompletableFuture<ServerState> check, long deadline, Findings findings) {
        Map<String, Object> details = new LinkedHashMap<>();
        CheckResult<ServerState> result = await(check, deadline);
        ServerState state = result.value();
        if (state == null) {
            findings.down(result.problem());
        } else {
            details.put("version", state.version());
            details.put("roundTripMillis", state.roundTrip().toMillis());
            details.put("clockSkewMillis", state.clockSkew().toMillis());
            details.put("maxMemory", state.maxMemory() < 0 ? ServerState.UNKNOWN : state.maxMemory());
            details.put("maxMemoryPolicy", state.evictionPolicy());
            details.put("appendOnly", state.appendOnly().name().toLowerCase(Locale.ROOT));
            if (state.mayEvict() && !settings.allowEviction()) {
                findings.down("Redis may evict messages: its maxmemory-policy is " + state.evictionPolicy());
            }
        }
        findings.detail("redis", details);
        return state != null;
    }

    /** A topic in a newer format is a problem only if this process uses the topic. */
    private void describeFormats(Findings findings) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("reads", StoredFormats.CURRENT);
        details.put("seen", List.copyOf(topics.formats().seen()));
        Map<String, String> unreadable = new LinkedHashMap<>();
        for (UnreadableTopic topic : topics.formats().unreadableTopics()) {
            unreadable.put(topic.topic(), topic.format());
            if (topic.wanted()) {
                findings.down("Topic " + Printable.of(topic.topic()) + " is stored in format "
                        + Printable.of(topic.format()) + ", but this version reads format " + StoredFormats.CURRENT
                        + " only: upgrade this application");
            }
        }
        if (!unreadable.isEmpty()) {
            details.put("unreadable", unreadable);
        }
        findings.detail("format", details);
    }

    /** Limits that another node declares are no problem of this node. */
    private void describeLimits(Findings findings) {
        Map<String, String> differing = new TreeMap<>();
        topics.declared().forEach((topic, limits) -> {
            TopicLimits declared = topics.lastLimits(topic).declared();
            if (declared != null && !declared.equals(limits)) {
                differing.put(topic, "Another node declares other limits: " + declared + "; this node: " + limits);
            }
        });
        if (!differing.isEmpty()) {
            findings.detail("limits", differing);
        }
    }

    /** A lag that exceeds the maximum of its topic is reported by {@link #describeTopics}. */
    private void describe(@Nullable Diagnosis found, Findings findings) {
        if (found == null) {
            return; // Redis is the reported problem
        }
        List<String> warnings = new ArrayList<>();
        for (Finding finding : found.findings()) {
            String sentence = (finding.topics().size() == 1
                            ? "Topic " + Printable.of(finding.topics().get(0)) + ": "
                            : "")
                    + finding.text();
            if (finding.level() == Level.WARNING) {
                warnings.add(sentence);
            } else if (finding.kind() != Kind.LATE
                    || !settings.maxLag().keySet().containsAll(finding.topics())) {
                findings.degraded(sentence);
            }
        }
        if (!warnings.isEmpty()) {
            findings.detail("warnings", warnings);
        }
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
        boolean paused = listener.isPaused() || !listener.pauses().isEmpty();
        details.put("state", !running ? "stopped" : paused ? "paused" : "running");
        ListenerProgress progress = listener.progress();
        putMillis(details, "sincePollMillis", progress.sinceSuccess());
        Duration failing = progress.failingFor();
        Throwable failure = progress.failure();
        if (running && failing != null && failure != null) {
            putMillis(details, "failingForMillis", failing);
            details.put("failure", sentence(failure));
            if (isTooLong(failing)) {
                findings.down("Listener " + Printable.of(listener.id()) + " has been failing for "
                        + DurationText.of(failing.truncatedTo(ChronoUnit.SECONDS)) + ": " + sentence(failure));
            }
        }
        if (running && isTooLong(progress.overdueFor())) {
            putMillis(details, "overdueForMillis", progress.overdueFor());
            findings.down("The next poll of listener " + Printable.of(listener.id()) + " has been due for "
                    + DurationText.of(progress.overdueFor().truncatedTo(ChronoUnit.SECONDS)));
        }
        return details;
    }

    private boolean isTooLong(Duration time) {
        return time.compareTo(settings.maxFailing()) >= 0;
    }

    private void describeTopics(
            Map<String, CompletableFuture<Duration>> checks,
            long deadline,
            boolean serverAvailable,
            Findings findings) {
        Map<String, Object> described = new TreeMap<>();
        checks.forEach((topic, check) -> {
            Duration lag = await(check, deadline).value();
            if (lag != null) {
                described.put(topic, describe(topic, lag, findings));
            }
        });
        settings.maxLag().forEach((topic, max) -> {
            if (!described.containsKey(topic)) {
                described.put(topic, Map.of("lagMillis", ServerState.UNKNOWN, "maxLagMillis", max.toMillis()));
                if (serverAvailable) { // otherwise Redis is the reported problem
                    findings.outOfService("The lag of topic " + Printable.of(topic)
                            + " is unknown, so that it cannot be compared with the maximum of " + DurationText.of(max));
                }
            }
        });
        findings.detail("topics", described);
    }

    private Map<String, Object> describe(String topic, Duration lag, Findings findings) {
        Map<String, Object> details = new LinkedHashMap<>();
        putMillis(details, "lagMillis", lag);
        Duration max = settings.maxLag().get(topic);
        putMillis(details, "maxLagMillis", max);
        if (max != null && lag.compareTo(max) > 0) {
            findings.outOfService("Topic " + Printable.of(topic) + " has a lag of "
                    + DurationText.of(lag.truncatedTo(ChronoUnit.MILLIS)) + ", which exceeds the maximum of "
                    + DurationText.of(max));
        }
        return details;
    }

    private static void putMillis(Map<String, Object> details, String name, @Nullable Duration time) {
        if (time != null) {
            details.put(name, time.toMillis());
        }
    }

    /**
     * Describes a failure. The text of an exception of another library is omitted, because it may contain message data.
     */
    private static String sentence(@Nullable Throwable failure) {
        boolean own = failure instanceof RedisCallException || failure instanceof TopicConflictException;
        String sentence = own && failure != null
                ? String.valueOf(failure.getMessage())
                : failure == null ? "no response" : failure.getClass().getName();
        return sentence.length() > MAX_SENTENCE ? sentence.substring(0, MAX_SENTENCE) + "…" : sentence;
    }
}
