package io.delayqueue.store.script;

import io.delayqueue.message.Due;
import io.delayqueue.message.OnDuplicate;
import io.delayqueue.message.TopicLimits;
import io.delayqueue.redis.Await;
import io.delayqueue.store.Claim;
import io.delayqueue.store.LimitState;
import io.delayqueue.store.OutgoingMessage;
import io.delayqueue.store.PollReply;
import io.delayqueue.store.bench.Polls;
import io.delayqueue.store.bench.Sends;
import io.delayqueue.store.bench.StoreBench;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A fair topic whose keys tests limit. */
abstract class KeyLimitTest {

    @RegisterExtension
    static final StoreBench bench = StoreBench.ofFairTopic();

    private long sequence;

    static OutgoingMessage message(String id, String key, OnDuplicate mode) {
        return Sends.keyed(id, key, new Due(0, true), mode, "n" + id + mode);
    }

    /** Sends messages of a key, with ids from {@code <key>0} on. */
    static void send(String key, int count) {
        bench.send(IntStream.range(0, count)
                .mapToObj(i -> message(key + i, key, OnDuplicate.REJECT))
                .toList());
    }

    static void limit(int perKey) {
        set(new TopicLimits(null, perKey, null, null));
    }

    static void set(TopicLimits limits) {
        Await.result(bench.process().limiter().set(bench.shard().topic(), limits));
    }

    static boolean allKeysAtLimit() {
        LimitState limits = Await.result(bench.store().count(bench.shard())).limits();
        return Objects.requireNonNull(limits).allKeysAtLimit();
    }

    Polls poll(String consumer) {
        return Polls.by(consumer, ++sequence).gap(Duration.ofDays(1));
    }

    Polls poll() {
        return poll("w1");
    }

    List<String> claim(int most) {
        return ids(bench.poll(poll().claim(most)));
    }

    static List<String> ids(PollReply reply) {
        return reply.claims().stream().map(Claim::id).toList();
    }
}
