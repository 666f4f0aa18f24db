package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.SendResult.Accepted;
import io.delayqueue.message.SendResult.Reason;
import io.delayqueue.message.SendResult.Rejected;
import io.delayqueue.message.SendResult.Replaced;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FullTopicsTests {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final FullTopics topics = new FullTopics();

    private static Rejected full(String topic) {
        return new Rejected(topic, "a", Reason.FULL, "topic " + topic + " is full", null);
    }

    private static Accepted accepted(String topic) {
        return new Accepted(topic, "a", Instant.EPOCH);
    }

    @Test
    void aFullTopicIsExcludedUntilItsPauseEndsAndThenTried() {
        FullTopics.Batch first = topics.batch(0);
        first.add("a", accepted("a"));
        assertThat(first.holdsBack("a")).isFalse();
        first.add("a", full("a"));
        first.add("b", accepted("b"));
        assertThat(first.holdsBack("a")).isTrue();
        assertThat(first.holdsBack("b")).isFalse();
        assertThat(first.end()).isTrue();

        assertThat(topics.batch(SECOND - 1).excluded()).containsExactly("a");
        FullTopics.Batch next = topics.batch(SECOND);
        assertThat(next.excluded()).isEmpty();
        assertThat(next.tries("a")).isTrue();
        assertThat(next.tries("b")).isFalse();
        next.add("a", new Replaced("a", "a", Instant.EPOCH));
        assertThat(next.tries("a")).as("a replacement needs no room").isTrue();
        next.add("a", accepted("a"));
        assertThat(next.tries("a")).isFalse();
        assertThat(next.end()).isFalse();
        assertThat(topics.batch(SECOND).tries("a")).isFalse();
    }

    @Test
    void aPauseBeginsAnewIfTheTopicAcceptedAMessage() {
        long now = 0;
        for (int pause = 1; pause <= 4; pause *= 2) {
            fullAt(now);
            now += pause * SECOND;
            assertThat(topics.batch(now - 1).excluded()).isNotEmpty();
        }
        FullTopics.Batch some = topics.batch(now);
        some.add("a", accepted("a"));
        some.add("a", full("a"));
        assertThat(some.end()).isTrue();

        assertThat(topics.batch(now + SECOND - 1).excluded()).isNotEmpty();
        assertThat(topics.batch(now + SECOND).excluded()).isEmpty();
    }

    private void fullAt(long now) {
        FullTopics.Batch batch = topics.batch(now);
        assertThat(batch.excluded()).isEmpty();
        batch.add("a", full("a"));
        batch.end();
    }

    @Test
    void moreTopicsThanAQueryExcludesAreHeldBack() {
        FullTopics.Batch many = topics.batch(0);
        List<String> names = IntStream.range(0, 501).mapToObj(i -> "t" + i).toList();
        names.forEach(name -> many.add(name, full(name)));
        many.end();

        FullTopics.Batch next = topics.batch(1);
        assertThat(next.excluded()).hasSize(500);
        assertThat(next.mayHoldBack()).isTrue();
        assertThat(names).allMatch(next::holdsBack);
    }
}
