package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.message.DelayMessage;
import io.delayqueue.template.RedisTest;
import io.delayqueue.testing.SystemClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The log names topics that nothing consumes. */
@ExtendWith(OutputCaptureExtension.class)
class UnconsumedTopicsTests extends RedisTest {

    private UnconsumedTopics topics;
    private UnconsumedWarnings warnings;
    private DelayQueueInspector inspector;
    private List<String> listened = List.of("orders");
    private long nanos;

    @BeforeEach
    void assemble() {
        inspector = queue.inspector();
        // each due message is late
        warnings = new UnconsumedWarnings(() -> listened, Duration.ofNanos(-1), () -> nanos);
        topics = new UnconsumedTopics(inspector, warnings, () -> nanos);
    }

    private void send(DelayMessage.Builder message) {
        queue.template().send(message.payload("p").build());
        topics.sent("oders", 1);
    }

    private void runAfter(Duration time) {
        nanos += time.toNanos();
        assertThat(topics.run()).isEqualTo(UnconsumedTopics.INTERVAL);
    }

    private static int lines(CapturedOutput output, String part) {
        return (int)
                output.toString().lines().filter(line -> line.contains(part)).count();
    }

    @Test
    void dueMessagesWithoutAConsumerAreWarnedOfOnceAnHour(CapturedOutput output) {
        send(DelayMessage.to("oders"));
        runAfter(Duration.ofSeconds(1));
        assertThat(lines(output, "no consumer")).isZero();
        runAfter(UnconsumedTopics.INTERVAL);
        assertThat(lines(output, "no consumer")).isEqualTo(1);
        runAfter(UnconsumedTopics.INTERVAL);
        assertThat(lines(output, "no consumer")).isEqualTo(1);
        runAfter(Duration.ofHours(1));
        assertThat(lines(output, "no consumer")).isEqualTo(2);
    }

    @Test
    void topicWithoutAListenerIsNamedOnceBesideTheTopicsThatHaveOne(CapturedOutput output) {
        send(DelayMessage.to("oders").delay(Duration.ofHours(1)));
        runAfter(UnconsumedTopics.INTERVAL);
        runAfter(UnconsumedTopics.INTERVAL);
        assertThat(lines(
                        output,
                        "sends to topic oders, for which no process has a listener. It has listeners for [orders]"))
                .isEqualTo(1);
    }

    @Test
    void emptyTopicIsNotMentioned(CapturedOutput output) {
        String id = queue.template().send("oders", "p", Duration.ofHours(1)).id();
        topics.sent("oders", 1);
        queue.template().cancel("oders", id);
        runAfter(UnconsumedTopics.INTERVAL);
        assertThat(output).doesNotContain("oders");
    }

    @Test
    void sampledTopicOfOtherProcessesIsWarnedOfOnceAnHour(CapturedOutput output) {
        queue.template().send("forgotten", "p");
        queue.template().send("later", "p", Duration.ofHours(1));
        TopicSampler sampler = new TopicSampler(
                inspector,
                () -> CompletableFuture.completedFuture(List.of()),
                Duration.ofSeconds(15),
                SystemClock::now,
                () -> nanos);
        sampler.onSample(() -> warnings.sampled(sampler.newest()));
        sampler.run();
        sampler.run();
        assertThat(lines(output, "no consumer")).isEqualTo(1);
        nanos += Duration.ofHours(1).toNanos();
        sampler.run();
        assertThat(lines(output, "Topic forgotten has 1 due messages")).isEqualTo(2);

        listened = List.of(); // a monitor
        nanos += Duration.ofHours(1).toNanos();
        sampler.run();
        assertThat(lines(output, "no consumer")).isEqualTo(2);
    }
}
