package io.delayqueue.template;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.delayqueue.Internal;
import io.delayqueue.message.Completions;
import io.delayqueue.message.Durability;
import io.delayqueue.message.InvalidOptionException;
import io.delayqueue.message.Names;
import io.delayqueue.message.Printable;
import io.delayqueue.message.Schedule;
import io.delayqueue.message.SendResult.Failed;
import io.delayqueue.message.Shard;
import io.delayqueue.message.Timing;
import io.delayqueue.redis.Await;
import io.delayqueue.store.script.Recurrences;
import io.delayqueue.store.script.Recurrences.Action;
import io.delayqueue.store.script.TopicRegistry;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * Stores schedules: messages that recur. Thread-safe. Each method blocks.
 *
 * <pre>{@code
 * schedules.put(Schedule.of("sync", "shop-3").every(Duration.ofMinutes(15)).payload(new Sync(3)));
 * }</pre>
 *
 * <p>Each occurrence is a message of the topic with the id of the schedule, and is handled as any other message: with
 * retries, dead letters, limits and keys. While an occurrence waits, it can be found, rescheduled and cancelled by its id. When
 * it has been acknowledged, dead-lettered or cancelled, the next one is stored. There is one occurrence of a schedule at a
 * time: slots that pass while one is handled are skipped. If no process consumes the topic, one occurrence waits, and runs
 * late. The next slot is computed from the last slot, so that slots do not drift.
 *
 * <p>An id belongs to its schedule: a send with this id is a duplicate. Send interceptors are called by {@link #run} only.
 *
 * <p>Methods throw a {@link DelayQueueUnavailableException} if Redis does not reply, and a {@link TopicMismatchException} if this
 * process expects another shard count or other keys than the topic is registered with.
 */
public class DelayQueueSchedules {

    /** Maximum number of schedules of a {@link #list page}. */
    public static final int MAX_LISTED = 500;

    private static final Comparator<@Nullable String> BY_BYTES = (a, b) -> Arrays.compareUnsigned(
            String.valueOf(a).getBytes(UTF_8), String.valueOf(b).getBytes(UTF_8));

    private final DelayQueueTemplate template;
    private final TopicRegistry topics;
    private final Recurrences recurrences;
    private final InstantSource clock;

    /**
     * Creates it.
     *
     * @param template converts payloads, and has the limits of messages
     * @param clock the first slot of a cron expression is computed from it, and from Redis' clock if they differ
     */
    @Internal
    public DelayQueueSchedules(
            DelayQueueTemplate template, TopicRegistry topics, Recurrences recurrences, InstantSource clock) {
        this.template = template;
        this.topics = topics;
        this.recurrences = recurrences;
        this.clock = clock;
    }

    /**
     * Stores a schedule, or changes the one with its id. The same schedule changes nothing. Another payload or option keeps
     * the next slot; another timing computes it anew. An occurrence that is being handled or retried is left as it is.
     *
     * @return what changed, and the next slot
     * @throws DuplicateMessageException if a message with this id is live that is not an occurrence of a schedule
     * @throws MessageRejectedException if the message would be rejected by a send
     * @throws IllegalArgumentException if the schedule has no timing or no payload
     */
    public Schedule.Result put(Schedule schedule) {
        Assert.notNull(schedule, "'schedule' must not be null");
        Timing timing = schedule.timing();
        PendingMessage message = template.accepted(schedule.message());
        message.encode();
        String topic = message.topic();
        String id = message.id();
        Optional<Schedule.Result> result = await(
                        "Storing schedule " + Printable.of(id) + " in topic " + Printable.of(topic),
                        () -> topics.shards(topic)
                                .thenCompose(registered -> topics.withShard(topic, id, shard -> {
                                    requireKey(message, shard);
                                    return recurrences.put(
                                            shard,
                                            message.encoded(),
                                            message.nonce(),
                                            timing,
                                            clock.instant(),
                                            durability(topic));
                                })))
                .orElseThrow(() -> new TopicMismatchException(
                        "Topic " + Printable.of(topic) + " was deleted while schedule " + Printable.of(id)
                                + " was stored. Nothing was written. Store it again",
                        null));
        return result.orElseThrow(() -> new DuplicateMessageException(topic, id));
    }

    private static void requireKey(PendingMessage message, Shard shard) {
        if (!shard.keys().accept(message.encoded().key())) {
            Failed failed = shard.keys() == Shard.Keys.NONE
                    ? SendFailures.keyUnused(message)
                    : SendFailures.keyMissing(message);
            throw DelayQueueException.of(failed);
        }
    }

    /** Finds a schedule. */
    public Optional<Schedule.Snapshot> find(String topic, String id) {
        return call("Reading", topic, id, shard -> recurrences.find(shard, id)).flatMap(found -> found);
    }

    /**
     * Lists the schedules of a topic by id. A part has fewer schedules than requested if they are large.
     *
     * @param after the id after which the listing starts; null for the beginning
     * @param count maximum number of schedules, 1 to 500
     * @return the part; empty if the topic does not exist
     */
    public Schedule.Page list(String topic, @Nullable String after, int count) {
        Names.checkTopic(topic);
        InvalidOptionException.requireRange("count", count, 1, MAX_LISTED);
        List<Schedule.Page> pages = await(
                        "Listing the schedules of topic " + Printable.of(topic),
                        () -> topics.withShards(
                                topic,
                                shards -> Completions.all(shards.stream()
                                        .map(shard -> recurrences.list(shard, after == null ? "" : after, count))
                                        .toList())))
                .orElse(List.of());
        // of a shard with more schedules, those after its last one are not known
        String known = pages.stream()
                .map(Schedule.Page::next)
                .filter(next -> next != null)
                .min(BY_BYTES)
                .orElse(null);
        List<Schedule.Snapshot> merged = pages.stream()
                .flatMap(page -> page.schedules().stream())
                .filter(schedule -> known == null || BY_BYTES.compare(schedule.id(), known) <= 0)
                .sorted(Comparator.comparing(Schedule.Snapshot::id, BY_BYTES))
                .toList();
        if (merged.size() > count) {
            merged = merged.subList(0, count);
            return new Schedule.Page(merged, merged.get(count - 1).id());
        }
        return new Schedule.Page(merged, known);
    }

    /**
     * Pauses a schedule: its waiting occurrence is removed, and no further one starts. One that is being handled or retried
     * goes on.
     *
     * @return whether there is such a schedule
     */
    public boolean pause(String topic, String id) {
        return change("Pausing", topic, id, Action.PAUSE);
    }

    /**
     * Resumes a paused schedule. It begins with the next slot from now.
     *
     * @return whether there is such a schedule
     */
    public boolean resume(String topic, String id) {
        return change("Resuming", topic, id, Action.RESUME);
    }

    /**
     * Removes a schedule and its waiting occurrence. One that is being handled or retried goes on.
     *
     * @return whether there was such a schedule
     */
    public boolean remove(String topic, String id) {
        return change("Removing", topic, id, Action.REMOVE);
    }

    /**
     * Sends the message of a schedule once, with a generated id and due at once, as an ordinary send: send interceptors are
     * called. The schedule is left as it is, also if it is paused.
     *
     * @return the id of the message; empty if there is no such schedule
     * @throws MessageRejectedException if the send is rejected, for example because the topic is full
     * @throws OutcomeUnknownException if the message may or may not be stored
     * @throws IllegalStateException if this version cannot read the message
     */
    public Optional<String> run(String topic, String id) {
        return find(topic, id).map(schedule -> template.send(schedule.once()).id());
    }

    /** Finds the ids of overdue schedules of a topic, among the first 1,000 of each shard. Blocks. */
    @Internal
    public List<String> overdue(String topic) {
        List<Supplier<List<String>>> shards = await(
                        "Searching the schedules of topic " + Printable.of(topic),
                        () -> topics.withShards(
                                topic,
                                each -> Completions.all(
                                        each.stream().map(recurrences::overdue).toList())))
                .orElse(List.of());
        return shards.stream().flatMap(shard -> shard.get().stream()).toList();
    }

    private boolean change(String verb, String topic, String id, Action action) {
        return call(verb, topic, id, shard -> recurrences.change(shard, id, action, durability(topic)))
                .orElse(false);
    }

    private Durability durability(String topic) {
        return template.durability(topic);
    }

    private <T> Optional<T> call(String verb, String topic, String id, Function<Shard, CompletableFuture<T>> call) {
        Names.checkTopic(topic);
        Names.checkId(id);
        return await(
                verb + " schedule " + Printable.of(id) + " in topic " + Printable.of(topic),
                () -> topics.withShard(topic, id, call));
    }

    private static <T> T await(String attempt, Supplier<CompletableFuture<T>> call) {
        try {
            return Await.call(() -> Completions.call(call));
        } catch (RuntimeException e) {
            throw DelayQueueException.translated(attempt, e);
        }
    }
}
