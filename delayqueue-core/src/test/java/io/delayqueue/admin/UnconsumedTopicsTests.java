package io.delayqueue.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.coordination.NodeDirectory;
import io.delayqueue.message.DelayMessage;
import io.delayqueue.store.script.ShardReader;
import io.delayqueue.template.RedisTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The log names topics that nothing consumes. */
@ExtendWith(OutputCaptureExtension.class)
class UnconsumedTopicsTests extends RedisTest {

    private UnconsumedTopics topics;
    private long nanos;

    @BeforeEach
    void assemble() {
        topics = new UnconsumedTopics(
                new DelayQueueInspector(
                        queue.store,
                        new ShardReader(queue.scripts, queue.keySpace, queue.topics),
                        queue.topics,
                        new NodeDirectory(queue.scripts, queue.keySpace, Duration.ofSeconds(15))),
                () -> List.of("orders"),
                Duration.ofNanos(-1), // each due message is late
                () -> nanos);
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
}
