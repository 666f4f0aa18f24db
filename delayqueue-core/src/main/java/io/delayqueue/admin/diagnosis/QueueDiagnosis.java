package io.delayqueue.admin.diagnosis;

import io.delayqueue.Internal;
import io.delayqueue.admin.Nodes;
import io.delayqueue.admin.OverdueSchedules.Overdue;
import io.delayqueue.admin.TopicStatus;
import io.delayqueue.coordination.LeaseHolder;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.server.ServerState;
import io.delayqueue.store.Purge;
import io.delayqueue.template.OutboxState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an operator should look at. These are the only rules: the endpoint, the dashboard, the health indicator
 * and the meters show their result. Thread-safe.
 */
@Internal
public final class QueueDiagnosis {

    /** A rule may ask what those before it have found. */
    private final List<Rule> rules;

    private final InstantSource clock;
    private Map<Situation.Key, Instant> found = Map.of();

    /**
     * The thresholds.
     *
     * @param maxLag the maximum lag of topics that have no maximum of their own
     * @param maxLagOf the maximum lag of topics, by name
     * @param maxFailureRate the failure rate from which on a topic is failing, more than 0 and at most 1
     * @param allowEviction whether Redis is permitted to evict messages
     */
    public record Limits(
            Duration maxLag, Map<String, Duration> maxLagOf, double maxFailureRate, boolean allowEviction) {

        /** Twice the default sweep interval, within which a due message is found without a signal. */
        public static final Duration DEFAULT_MAX_LAG = Duration.ofSeconds(10);

        /** Checks the failure rate. */
        public Limits {
            InvalidOptionException.require(
                    maxFailureRate > 0 && maxFailureRate <= 1,
                    "maxFailureRate",
                    "must be more than 0 and at most 1, but was " + maxFailureRate);
            maxLagOf = Map.copyOf(maxLagOf);
        }

        Duration of(String topic) {
            return maxLagOf.getOrDefault(topic, maxLag);
        }
    }

    /**
     * Creates a diagnosis.
     *
     * @param heartbeat interval between heartbeats; a node that misses two of them is reported before it counts as
     *     failed
     * @param clock dates findings
     * @param outbox supplies the state of the outbox, or null if there is none or it is not known yet
     * @param maxOutboxAge age of the oldest row of the outbox that is a finding
     * @param declared the limits in the properties of this node, by topic
     * @param retention the limits of dead letters in the properties of this node
     * @param overdue the overdue schedules of a topic
     */
    public QueueDiagnosis(
            Limits limits,
            Duration heartbeat,
            InstantSource clock,
            Supplier<@Nullable OutboxState> outbox,
            Duration maxOutboxAge,
            Map<String, TopicLimits> declared,
            Purge.Retention retention,
            Function<String, Overdue> overdue) {
        this.clock = clock;
        this.rules = List.of(
                new RedisRule(limits.allowEviction(), heartbeat),
                new UnknownRule(),
                new FailureRule(limits.maxFailureRate()),
                new UnavailableRule(),
                new NoListenerRule(),
                new LateRule(limits),
                new StuckRule(),
                new LeaseRule(),
                new OutboxRule(outbox, maxOutboxAge),
                new NodeRule(heartbeat),
                new BusyRule(),
                new GrowthRule(),
                new ShardRule(),
                new SuspectRule(),
                new LimitRule(declared),
                new DateRule(),
                new ScheduleRule(overdue),
                new RetentionRule(retention),
                new DeadLetterRule(),
                new PauseRule());
    }

    /**
     * Returns what an operator should look at.
     *
     * @param servers the state of each Redis server that is known
     * @param holders the holders of old leases, the oldest lease first
     */
    public synchronized Diagnosis diagnose(
            List<TopicStatus> topics, Nodes nodes, List<ServerState> servers, List<LeaseHolder> holders) {
        Situation situation = new Situation(clock.instant(), topics, nodes, servers, holders, found);
        rules.forEach(rule -> rule.check(situation));
        found = situation.found();
        return Diagnosis.of(situation);
    }
}
